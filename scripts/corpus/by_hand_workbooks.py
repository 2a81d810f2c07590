"""Workbooks that no writer at hand gives, made part by part."""
import re
import zipfile
from html import escape

from corpus import FILES, KEYED, NAMES, ORDERS, TITLES, at, expect, letters, path, sure, table

MADE = 'by hand (scripts/corpus/by_hand_workbooks.py)'
MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
STRICT = 'http://purl.oclc.org/ooxml/spreadsheetml/main'
OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
THREE = ['Vega', 'Okafor', "O'Brien"]


def inline(value, column=None, row=None, attributes=''):
    place = f' r="{letters(column)}{row}"' if column is not None else ''
    return f'<c{place} t="inlineStr"{attributes}><is><t>{escape(str(value), quote=False)}</t></is></c>'


def rows_of(names=THREE, fields=KEYED, references=True, cell=inline):
    rows = []
    for number, values in enumerate(table(names, fields, typed=False), 1):
        cells = ''.join(cell(value, column, number) if references else cell(value) for column, value in enumerate(values) if value != '')
        rows.append(f'<row r="{number}">{cells}</row>' if references else f'<row>{cells}</row>')
    return rows


def sheet(rows, prefix='', namespace=MAIN, before='', after=''):
    return f'{DECLARATION}<worksheet xmlns="{namespace}" xmlns:r="{OFFICE}">{before}<sheetData>{"".join(rows)}</sheetData>{after}</worksheet>'


def relationships(*targets):
    items = ''.join(f'<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{target}"/>' for id, kind, target in targets)
    return f'{DECLARATION}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{items}</Relationships>'


def parts(sheet_part, **more):
    made = {
        '[Content_Types].xml': f'{DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        '_rels/.rels': relationships(('rId1', 'officeDocument', 'xl/workbook.xml')),
        'xl/workbook.xml': f'{DECLARATION}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="Orders" sheetId="1" r:id="rId1"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels': relationships(('rId1', 'worksheet', 'worksheets/sheet1.xml')),
        'xl/worksheets/sheet1.xml': sheet_part,
    }
    made.update({name.replace('__', '/'): content for name, content in more.items()})
    return made


def save(name, made, compression=zipfile.ZIP_DEFLATED, **expected):
    with zipfile.ZipFile(path(name), 'w', compression) as packed:
        for part, content in made.items():
            packed.writestr(part, content)
    expect(name, made=MADE, **expected)


def repacked(source, change):
    """The parts of another file of the corpus, changed."""
    with zipfile.ZipFile(FILES / source) as packed:
        return {name: change(name, packed.read(name)) for name in packed.namelist()}


save('ooxml-no-references.xlsx', parts(sheet(rows_of(references=False))), what='neither rows nor cells say where they stand', fields=KEYED, rows=sure(THREE))
save('ooxml-stored.xlsx', parts(sheet(rows_of())), zipfile.ZIP_STORED, what='a zip that does not pack', fields=KEYED, rows=sure(THREE))
save('ooxml-cells-out-of-order.xlsx', parts(sheet([re.sub(r'(<row[^>]*>)(.*)(</row>)', lambda m: m[1] + ''.join(reversed(re.findall(r'<c .*?</c>', m[2]))) + m[3], row) for row in rows_of()])), what="each row's cells stand from right to left", fields=KEYED, rows=sure(THREE))
prefixed = re.sub(r'<(/?)(?=[a-z])', r'<\1x:', sheet(rows_of())).replace('xmlns=', 'xmlns:x=')
save('ooxml-prefixes.xlsx', parts(prefixed, **{'xl__workbook.xml': f'{DECLARATION}<x:workbook xmlns:x="{MAIN}" xmlns:rel="{OFFICE}"><x:sheets><x:sheet name="Orders" sheetId="1" rel:id="rId1"/></x:sheets></x:workbook>'}), what='every element has a prefix', fields=KEYED, rows=sure(THREE))
save('ooxml-single-quotes-and-comments.xlsx', parts(sheet(rows_of()).replace('"', "'").replace("'SO'", '&quot;SO&quot;').replace('<row', '<!-- a row -->\n  <row ').replace('<t>Tampa</t>', '<t><![CDATA[Tampa]]></t>').replace('<t>MA</t>', '<t>&#77;&#x41;</t>')),
     what='single quotes, comments, CDATA, numbered characters', fields=KEYED, rows=sure(THREE))
utf16 = ('\ufeff' + sheet(rows_of()).replace('UTF-8', 'UTF-16')).encode('utf-16-le')
save('ooxml-utf16.xlsx', parts(utf16), what='a sheet in UTF-16', fields=KEYED, rows=sure(THREE))
save('ooxml-mark.xlsx', parts('\ufeff' + sheet(rows_of())), what='a sheet with a byte order mark', fields=KEYED, rows=sure(THREE))
save('ooxml-odd-part-names.xlsx', {
    '_rels/.rels': relationships(('a', 'officeDocument', '/book/The%20Book.xml')),
    'book/The Book.xml': f'{DECLARATION}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="Orders" sheetId="7" r:id="z"/></sheets></workbook>',
    'book/_rels/The Book.xml.rels': relationships(('z', 'worksheet', '../DATA/Page.XML')),
    'data/page.xml': sheet(rows_of()),
}, what='parts under names of their own, with spaces and other cases', fields=KEYED, rows=sure(THREE))
save('ooxml-backslashes.xlsx', {name.replace('/', '\\'): content for name, content in parts(sheet(rows_of())).items()}, what='part names with backslashes', fields=KEYED, rows=sure(THREE))
two = parts(sheet(rows_of(['Novak'])), **{
    'xl__workbook.xml': f'{DECLARATION}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="Second part" sheetId="2" r:id="rId2"/><sheet name="First part" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl___rels__workbook.xml.rels': relationships(('rId1', 'worksheet', 'worksheets/sheet1.xml'), ('rId2', 'worksheet', 'worksheets/sheet2.xml')),
    'xl__worksheets__sheet2.xml': sheet(rows_of(['Chen'])),
})
save('ooxml-order-of-sheets.xlsx', two, what="sheets in the workbook's order, not the zip's", fields=KEYED, rows=[*sure(['Chen'], sheet='Second part'), *sure(['Novak'], sheet='First part')])
fields = ['policyEffectiveDate', *KEYED]
iso = sheet([row.replace('t="inlineStr"><is><t>2026-11-01</t></is>', 't="d"><v>2026-11-01T00:00:00Z</v>') for row in rows_of(['Vega'], fields)], namespace=STRICT)
save('ooxml-strict.xlsx', {name: content.replace(MAIN, STRICT).replace(OFFICE, 'http://purl.oclc.org/ooxml/officeDocument/relationships') if isinstance(content, str) else content for name, content in parts(iso).items()},
     what='the strict form, with a t="d" date', fields=fields, rows=sure(['Vega']))
rich = rows_of(['Vega'])[1].replace('<t>Marisol Vega</t>', '<r><rPr><b/></rPr><t>Mari</t></r><r><t xml:space="preserve">sol </t></r><r><t>Vega</t></r><rPh sb="0" eb="1"><t>マリソル</t></rPh><phoneticPr fontId="1"/>')
save('ooxml-runs-and-phonetics.xlsx', parts(sheet([rows_of(['Vega'])[0], rich])), what='runs of rich text in the cell, and a reading aid that is no part of the name', fields=KEYED, rows=sure(['Vega']))
header, first, second, third = rows_of()
formula = f'<c r="A2" t="str"><f t="shared" ref="A2:A4" si="0">"S-"&amp;ROW()</f><v>S-2</v></c>'
shared = [header, first.replace(inline('HO-0048213', 0, 2), formula), second.replace(inline('00712345', 0, 3), '<c r="A3" t="str"><f t="shared" si="0"/><v>S-3</v></c>'), third.replace(inline('FR-77/2026', 0, 4), '<c r="A4"><f t="shared" si="0"/></c>')]
save('ooxml-shared-formulas.xlsx', parts(sheet(shared)), what='a shared formula, whose last cell has no value', fields=KEYED, rows=[
    {'at': at(2), 'is': 'Vega', 'with': {'policyNumber': 'S-2'}}, {'at': at(3), 'is': 'Okafor', 'with': {'policyNumber': 'S-3'}}, {'at': at(4), 'problems': ['cell-formula-without-value in A4']}])
save('ooxml-rows-far-apart.xlsx', parts(sheet([header, first.replace('"2"', '"70000"').replace('2" t=', '70000" t='), '<row r="1048576" hidden="1"/>'])), what='a row far below, an empty one at the very end', fields=KEYED, rows=[{'at': at(70000), 'is': 'Vega'}])
save('ooxml-missing-text.xlsx', parts(sheet([header, first.replace(inline('Tampa', 5, 2), '<c r="F2" t="s"><v>9</v></c>'), second])), what='a cell whose text is in no table', fields=KEYED, rows=[{'at': at(2), 'problems': ['cell-error in F2']}, {'at': at(3), 'is': 'Okafor'}])
save('ooxml-a-note-after-the-rows.xlsx', parts(sheet(rows_of(), after='<mergeCells count="1"><mergeCell ref="A9:C9"/></mergeCells><hyperlinks><hyperlink ref="K2" display="x"/></hyperlinks><extLst><ext uri="x"><row r="9"><c r="A9"><v>1</v></c></row></ext></extLst>')), what='elements called row and c outside the rows', fields=KEYED, rows=sure(THREE))
save('ooxml-escapes.xlsx', parts(sheet([header, first.replace('Marisol Vega', 'Marisol_x0020_Vega').replace('118 Oak Ridge Ln', '118 Oak _x005F_x0020_ Ln'), second])), what='escapes such as _x0020_, and an escaped escape', fields=KEYED, rows=[
    {'at': at(2), 'is': 'Vega', 'with': {'streetAddress': '118 Oak _x0020_ Ln'}}, {'at': at(3), 'is': 'Okafor'}])
save('ooxml-boolean-and-number-texts.xlsx', parts(sheet([header, first.replace(inline('Tampa', 5, 2), '<c r="F2" t="b"><v>1</v></c>'), second.replace(inline('02139', 7, 3), '<c r="H3" t="str"><v>02139</v></c>'), third.replace(inline('Santa Fe', 5, 4), '<c r="F4"><v>abc</v></c>')])),
     what='a truth value for a city, a ZIP code as the text of a formula, a number that is none', fields=KEYED, rows=[
    {'at': at(2), 'problems': ['cell-holds-boolean in F2']}, {'at': at(3), 'is': 'Okafor'}, {'at': at(4), 'is': "O'Brien", 'with': {'city': 'abc'}}])
scientific = [header, second.replace(inline('02139', 7, 3), '<c r="H3"><v>2.139E3</v></c>').replace(inline('00712345', 0, 3), '<c r="A3"><v>7.12345E5</v></c>'), first.replace(inline('HO-0048213', 0, 2), '<c r="A2"><v>1.2345678901234567E+19</v></c>')]
save('ooxml-numbers-in-scientific-form.xlsx', parts(sheet(scientific)), what='numbers that a program wrote in scientific form: two are whole, one has lost digits', fields=KEYED, rows=[
    {'at': at(3), 'is': 'Okafor', 'with': {'policyNumber': '712345'}, 'repairs': {'zipcode': '2.139E3 -> 02139', 'policyNumber': '7.12345E5 -> 712345'}},
    {'at': at(2), 'problems': ['id-lost-digits in A2']}])
