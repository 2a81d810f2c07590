/**
 * The `config.yaml` that `init` writes. A line of prose begins with `# `, a key that can be set with `#` alone: take that `#` away
 * and the line is valid where it stands, because the groups are not commented out.
 */
export const COMMENTED_CONFIG = `# Settings of this workspace. Everything has a default: the keys below are shown with theirs.
# To change one, take away the # in front of it. Credentials never stand here, but in the environment or in .env.

service:
  # The address of the service, without /v1: https://inspections.example.com
  # INSPECTION_BASE_URL, in the environment or in .env, outranks it. Plain http only for this machine itself.
  #baseUrl: null

intake:
  # Headers that senders use, and the field of the order each stands for, one pair a line:
  #   headers:
  #     Ref No.: inspectionNumber
  #     Eff Date: policyEffectiveDate
  #headers: {}

  # A file is taken in once its size and change time have stood still for this many seconds.
  #settleSeconds: 10

  # When a file waits in held/ for somebody to approve it. null and false: it does not.
  hold:
    # More wrong rows than this, in percent of the file's rows.
    #maxWrongPercent: null
    # More rows that were ordered before than this, in percent of the file's rows.
    #maxDuplicatePercent: null
    # Columns other than this sender's file had last time.
    #changedLayout: false
    # More rows than this many times the sender's usual number.
    #maxTimesUsualRows: null

submit:
  # A row whose project stands at the service already (the same inspection number, or policy and date, within 30 days):
  # link: tie it to that project and follow it. skip: leave it. reject: back to the analyst. create: order it again.
  # An allowDuplication cell in the row outranks this.
  #onDuplicate: link

  # A row with neither inspection number nor policy number, which the service has no key for:
  # mark: a short reference at the end of its note. mint: a reference as its inspection number. hold: back to the analyst.
  #whenNoKey: mark

  # How long after a create with an unknown outcome a second one is thinkable, if searches find nothing. Shorter is riskier.
  #quarantineSeconds: 300

  # Requests under way at the same time, at most (1 to 64). Fewer are used when the service is slow.
  #maxConcurrency: 8

run:
  # Local time after which a run sends nothing new: "05:30". What it did not reach is left for the next run. null: no end.
  #finishBy: null

collect:
  # Images to download. all: every image of a project. referenced: those its report's summary names. none.
  #images: all

  # Tell the service "Client Received" once a project's files and their delivery are safe on disk. It then offers them no more.
  #markReceived: false

  # The SFTP folder that the service delivers into, if you have one: host, port (22), folder (/) and username. null: none.
  #   sftp:
  #     host: files.example.com
  #     username: inspections
  #sftp: null

results:
  # A YAML file that chooses and names the columns of the results workbook; \`inspection-batch results columns\` writes one.
  # Relative paths start at the workspace. null: every column that occurs.
  #columns: null

  # A YAML file with the rules of the Attention sheet. null: the set that comes with the program.
  #attention: null

  # What a delivery holds the results as: xlsx, csv, jsonl.
  #formats: [xlsx]

# Nothing can be set here yet.
notify:

# Days after which \`inspection-batch prune\` may remove what is older. null: never.
retention:
  # Original files in archive/.
  #archiveDays: null
  # Folders in deliveries/.
  #deliveriesDays: null
  # Files in logs/.
  #logsDays: null
`;
