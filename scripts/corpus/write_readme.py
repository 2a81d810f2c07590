"""Writes the list of files into test/corpus/README.md: what each holds and how it was made, from the expectations."""
import json

from corpus import CORPUS, EXPECTED

MARK = '<!-- the list below is written by scripts/corpus/write_readme.py -->'
readme = CORPUS / 'README.md'
lines = ['| file | what | made by |', '|---|---|---|']
for expectation in sorted(EXPECTED.glob('*.json')):
    held = json.loads(expectation.read_text('utf8'))
    cells = [f'`{expectation.name.removesuffix(".json")}`', held['what'], held['made'].replace('(scripts/corpus/', '(`').replace(')', '`)', 1) if held['made'].count('(') == 1 else held['made']]
    lines.append('| ' + ' | '.join(cell.replace('|', '\\|') for cell in cells) + ' |')
readme.write_text(readme.read_text('utf8').split(MARK)[0] + MARK + '\n\n' + '\n'.join(lines) + '\n', 'utf8')
