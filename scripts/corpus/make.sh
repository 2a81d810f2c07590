#!/bin/sh
# Makes the files of test/corpus/ and their expectations anew. Needs LibreOffice, Gnumeric and Perl's Excel::Writer::XLSX, a Python that has
# openpyxl, xlsxwriter and pandas (PYTHON), and a folder of its own in which the npm packages of the three .mjs scripts are installed
# (CORPUS_PACKAGES): none of them is a dependency of the project, and no test needs them.
set -eu
cd "$(dirname "$0")"
PYTHON="${PYTHON:-python3}"
export CORPUS_PACKAGES TZ=UTC PYTHONDONTWRITEBYTECODE=1
rm -rf ../../test/corpus/files ../../test/corpus/expected
for script in with_openpyxl with_xlsxwriter with_pandas; do "$PYTHON" "$script.py"; done
node with-sheetjs.mjs
node with-javascript.mjs
node unclear-columns.mjs
"$PYTHON" with_programs.py
for script in by_hand_csv by_hand_unclear by_hand_addresses by_hand_workbooks unreadable by_outsider write_readme; do "$PYTHON" "$script.py"; done
