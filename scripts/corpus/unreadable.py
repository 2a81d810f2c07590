"""Files that are no spreadsheet, or are one no more."""
import io
import random
import zipfile

from corpus import FILES, KEYED, NAMES, expect, path, table
from by_hand_csv import lines
from by_hand_workbooks import parts, rows_of, sheet

MADE = 'by hand (scripts/corpus/unreadable.py)'


def write(name, content, what, gist):
    path(name).write_bytes(content)
    expect(name, what=what, made=MADE, unreadable=gist)


def packed(entries):
    held = io.BytesIO()
    with zipfile.ZipFile(held, 'w', zipfile.ZIP_DEFLATED) as made:
        for name, content in entries.items():
            made.writestr(name, content)
    return held.getvalue()


plain = (FILES / 'openpyxl-plain.xlsx').read_bytes()
chance = random.Random(4)
write('empty.xlsx', b'', 'nothing at all', 'is empty')
write('blank.csv', b'\r\n \t\r\n\r\n', 'white space', 'is empty')
write('separators.csv', b',,,,\r\n,,,,\r\n', 'separators and nothing else', 'has no header row')
write('no-header.csv', lines(table(typed=False)[1:]).encode(), 'orders without a header', 'LOOKS LIKE ORDERS BUT WAS NOT READ')
write('shopping-list.csv', b'Item,Price\nMilk,2.50\nBread,3\n', 'another table altogether', 'has no header row')
write('truncated.xlsx', plain[: len(plain) * 2 // 3], 'the first two thirds of a workbook', 'is damaged')
rows_at = plain.index(b'xl/worksheets/sheet1.xml') + 60
write('flipped-bytes.xlsx', plain[:rows_at] + bytes(byte ^ 0x55 for byte in plain[rows_at:rows_at + 300]) + plain[rows_at + 300:], 'a workbook with 300 bytes of its sheet changed', 'is damaged')
write('random.xlsx', bytes(chance.randrange(256) for _ in range(3000)), 'noise', 'is not a spreadsheet, or is damaged')
write('open-quote.csv', lines(table(['Vega', 'Okafor', 'Novak'], KEYED, typed=False)).replace('Tampa', '"Tampa').encode(), 'a quotation mark that nobody closed', 'quotation mark')
write('letter.pdf.csv', b'%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n', 'a PDF under the name of a CSV', 'is a PDF')
write('photo.xlsx', b'\x89PNG\r\n\x1a\n' + bytes(40), 'a picture under the name of a workbook', 'is a picture')
write('letter.docx', packed({'[Content_Types].xml': '<Types/>', 'word/document.xml': '<w:document/>'}), 'a Word document', 'is a Word document')
write('slides.pptx', packed({'[Content_Types].xml': '<Types/>', 'ppt/presentation.xml': '<p/>'}), 'a presentation', 'is a PowerPoint presentation')
write('orders.zip', packed({'orders.csv': lines(table(typed=False))}), 'a zip with a CSV in it', 'is a zip archive')
write('orders.numbers', packed({'Index/Document.iwa': 'x', 'Metadata/Properties.plist': 'y'}), 'a Numbers document', 'is an Apple Numbers')
write('no-sheets.xlsx', packed(parts(sheet([]), **{'xl__workbook.xml': '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets/></workbook>'})), 'a workbook without sheets', 'holds no worksheet')
write('missing-sheet.xlsx', packed({name: content for name, content in parts(sheet(rows_of())).items() if 'sheet1' not in name}), 'a workbook that lacks its sheet', 'is damaged')
write('doctype.xlsx', packed(parts(sheet(rows_of()).replace('<worksheet', '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><worksheet', 1))), 'a sheet with a DOCTYPE', 'DOCTYPE')
write('cut-in-the-sheet.xlsx', packed(parts(sheet(rows_of())[:-60])), 'a sheet whose XML ends too early', 'is damaged')
write('hidden-only.xlsx', packed(parts(sheet(rows_of()), **{'xl__workbook.xml': parts('')['xl/workbook.xml'].replace('name="Orders"', 'name="Orders" state="hidden"')})), 'every sheet is hidden', 'has no visible sheet')
bomb = parts('')
held = io.BytesIO()
with zipfile.ZipFile(held, 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as made:
    for name, content in bomb.items():
        if name == 'xl/worksheets/sheet1.xml':
            with made.open(name, 'w') as part:
                part.write(b'<worksheet><sheetData>')
                for _ in range(90):
                    part.write(b'<row/>' * (1 << 18))
        else:
            made.writestr(name, content)
write('zip-bomb.xlsx', held.getvalue(), 'a zip bomb: 140 MB of empty rows in a small file', 'zip bomb')
write('old.gz', b'\x1f\x8b\x08\0\0\0\0\0' + bytes(20), 'a packed file', 'is a packed archive')
write('database.csv', b'SQLite format 3\0' + bytes(84), 'a database under the name of a CSV', 'is a database file')
write('export.json.csv', b'{"orders": [{"city": "Tampa", "state": "FL"}]}\n', 'JSON under the name of a CSV', 'is a JSON file')
