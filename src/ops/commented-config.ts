/**
 * The `config.yaml` that `init` writes. Prose begins with `# `, a setting with `#` alone. Removing that `#` gives valid
 * YAML.
 */
export const COMMENTED_CONFIG = `# Settings of this workspace. Everything has a default: the keys below are shown with theirs.
# To change one, remove the # in front of it. Never put credentials here: they belong in the environment or in .env.

workspace:
  # Who may read what the program writes. null: only the user who runs it (files 0600, folders 0700).
  # group: that user's group too (0640, 0750). What exists keeps its mode; .env is yours alone either way.
  #sharedWith: null

service:
  # The address of the service, without /v1: https://inspections.example.com
  # INSPECTION_BASE_URL, in the environment or in .env, outranks it. Plain http only for this machine itself.
  #baseUrl: null

intake:
  # Senders' own headers and the order field that each one means, one pair per line; ignore leaves a column out:
  #   headers:
  #     Ref No.: inspectionNumber
  #     Eff Date: policyEffectiveDate
  #headers: {}

  # Senders' own words and the service's value for each. A word applies in any field that lists its value. Each use is a repair on record.
  # Usual words such as HO3 and 4pt need no line here (templates/vocabulary/values.yaml).
  #   values:
  #     Commercial: Commercial Property Insurance
  #     Premium: Premium 4-Point
  #values: {}

  # How to read a date with two meanings, such as 12/01/2026, when the other dates in its column do not settle it.
  # auto: month first in a list of American addresses, otherwise the row goes back. mdy, dmy: month first, day first.
  #dateOrder: auto

  # What to do about an optional cell that cannot be read, such as a year built of "about 1987". warn: the order goes without that cell, with a
  # warning. reject: the row goes back. Numbers, dates, dwelling coverage, the insurer and services are always strict (docs/spreadsheets.md).
  #unreadableOptional: warn

  # Rows that a spreadsheet hides, as filters do. ask: they go back as a question, the others are ordered. order: like the others, with a
  # warning. skip: left out, with a note.
  #hiddenRows: ask

  # A file is taken in once its size and change time have not changed for this many seconds.
  #settleSeconds: 10

  # When to hold a file in held/ until somebody approves it. null and false: never.
  hold:
    # More wrong rows than this, in percent of the file's rows.
    #maxWrongPercent: null
    # More rows that were ordered before than this, in percent of the file's rows.
    #maxDuplicatePercent: null
    # Columns that differ from this sender's last file.
    #changedLayout: false
    # More rows than this many times the sender's usual number.
    #maxTimesUsualRows: null

  # Settings for one sender, under the name of its folder in inbox/. Its headers, values, dateOrder and hold override those above.
  #   senders:
  #     smith-agency:
  #       dateOrder: dmy
  #       values:
  #         Ext: Exterior
  #senders: {}

submit:
  # A repeat: a row that was ordered before, however long ago, or that the service calls a duplicate (30 days):
  # link: tie it to that project and follow it. skip: leave it. reject: back to the analyst. create: order it again.
  # An allowDuplication cell in the row outranks this.
  #onDuplicate: link

  # A row with neither inspection number nor policy number, which the service has no key for:
  # mark: a short reference at the end of its note. mint: a reference as its inspection number. hold: back to the analyst.
  #whenNoKey: mark

  # A row is a renewal, and so a new order, where its effective date (without one its due date) is so many days later than that of the newest order
  # with its inspection number, or for its house, service and insured (docs/repeats-and-renewals.md). null: never.
  #renewalAfterDays: 300

  # How long to wait after a create with an unknown outcome before a second one is considered, if searches find nothing. Shorter is riskier.
  #quarantineSeconds: 300

  # Requests under way at the same time, at most (1 to 64). Fewer are used when the service is slow.
  #maxConcurrency: 8

  # The same for all hosts together, where several share the ledger (docs/fleet.md); each takes its part of it. null: no limit.
  #maxConcurrencyOfAllHosts: null

run:
  # A run ends with exit code 3 when rows have gone back. While any of them is still open (not fixed, dropped again or dismissed),
  # a reminder with exit code 3 comes every so many days. null: never.
  #remindAfterDays: 3

  # Local time after which a run sends nothing new: "05:30". What it did not reach is left for the next run. null: no end.
  #finishBy: null

collect:
  # Which file of a report to download. full: the full one. compressed: the compressed one, or the full one if there is none.
  #reports: full

  # Images to download. all: every image of a project. referenced: those its report's summary names. none.
  #images: all

  # A file that does not come (404, or broken) is asked for again by the next run, which ends with exit code 4. After so many nights,
  # people are told once (exit code 3). Every run still asks for it.
  #patienceNights: 5

  # Tell the service "Client Received" once a project's files and their delivery are safe on disk. It then stops offering them.
  #markReceived: false

  # The SFTP folder that the service delivers into, if you have one: host, port (22), folder (/), username, and hostKey, the fingerprint of
  # the server's key. The password: INSPECTION_SFTP_PASSWORD, or INSPECTION_SFTP_PASSWORD_FILE; or privateKey, the path of a key file.
  # Once a project's files are safe here and in a published delivery, they are moved to taken/ in that folder, or deleted
  # (afterwards: move or delete). To the service that means "Client Received", whatever markReceived says. null: none.
  #   sftp:
  #     host: files.example.com
  #     username: inspections
  #     hostKey: SHA256:…
  #sftp: null

results:
  # A YAML file that chooses and names the columns of the results workbook; \`inspection-batch results columns\` writes one.
  # Relative paths start at the workspace. null: every column that occurs.
  #columns: null

  # A YAML file with the rules of the Attention sheet; \`inspection-batch results attention\` writes one. null: the set that comes with
  # the program.
  #attention: null

  # A reports archive that would be larger is split into reports-01.zip, reports-02.zip and so on, each complete in itself. null: one archive.
  #archiveMaxMegabytes: null

  # Small photos on the sheet Photos: how many for a project (0: no such sheet), and how many in all.
  #thumbnailsPerProject: 3
  #thumbnailsMax: 1500

  # Formats of the results in a delivery: xlsx (the workbook), csv (its tables), jsonl (one project a line, for other systems).
  #formats: [xlsx]

# Whom a run tells, besides its exit code (docs/notifications.md). Plain http and SMTP without TLS go to this machine only.
notify:
  # Mail. smtp: smtps://host:465, or smtp://host:587 (with STARTTLS). INSPECTION_SMTP_USER and INSPECTION_SMTP_PASSWORD, where it asks for a login.
  # analysts get rows to fix, unless their sender has addresses of its own; underwriters a delivery with results; engineers what broke.
  #   mail:
  #     smtp: smtp://mail.example.com:587
  #     from: inspections@example.com
  #     analysts: [ops@example.com]
  #     underwriters: [uw@example.com]
  #     engineers: [oncall@example.com]
  #     senders:
  #       smith-agency: [ann@example.com]
  #mail: null

  # The summary of each run (JSON), sent by POST to url and signed with INSPECTION_WEBHOOK_SECRET.
  #   webhook:
  #     url: https://hooks.example.com/inspections
  #webhook: null

  # A program that gets the same summary on stdin. Relative paths start at the workspace.
  #command: null

  # Addresses that are called when a run starts, succeeds (exit codes 0 and 3) and fails (any other code but 5).
  ping:
    #start: null
    #success: null
    #failure: null

log:
  # What goes into logs/, from most to least: debug (every request, without its details), info, warn, error.
  # INSPECTION_LOG_LEVEL, in the environment or in .env, outranks it.
  #level: info

metrics:
  # A file for node_exporter's textfile collector, written at the end of every run, submit and collect: /var/lib/node_exporter/inspections.prom
  # Relative paths start at the workspace. null: none.
  #textfile: null

# Days after which \`inspection-batch prune\` may remove what is older. null: never.
retention:
  # Original files in archive/, and people's details in the ledger, of finished orders.
  #archiveDays: null
  # Folders in deliveries/.
  #deliveriesDays: null
  # Stored files of projects that are received or canceled, in state/downloads/, and thumbnails.
  #downloadsDays: null
  # Files in logs/. Every run removes those that are older; they need no \`prune\`.
  #logsDays: null
`;
