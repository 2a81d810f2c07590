"""Workbooks written by openpyxl."""
import datetime

import openpyxl
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table

from corpus import AGENCY, API, FIELDS, KEYED, NAMES, ORDERS, REQUIRED, TITLES, at, expect, letters, path, sure, table

MADE = f'openpyxl {openpyxl.__version__} (scripts/corpus/with_openpyxl.py)'


def book(rows=None, sheet='Orders'):
    workbook = openpyxl.Workbook()
    workbook.active.title = sheet
    for row in rows or []:
        workbook.active.append(row)
    return workbook, workbook.active


def save(workbook, name, **expected):
    workbook.save(path(name))
    expect(name, made=MADE, **expected)


def cell(sheet, fields, field, row):
    return sheet[f'{letters(fields.index(field))}{row}']


workbook, sheet = book(table())
save(workbook, 'openpyxl-plain.xlsx', what='every field of six orders, under the headers of the template', rows=sure())

workbook, sheet = book(table(headers=AGENCY))
save(workbook, 'openpyxl-agency-headers.xlsx', what='the headers that agencies use', rows=sure())

workbook, sheet = book(table(headers=API))
save(workbook, 'openpyxl-api-headers.xlsx', what="the service's own names as headers", rows=sure())

# Numbers where text belongs.
workbook, sheet = book(table(['Vega', 'Okafor', "O'Brien", 'Novak'], KEYED))
for row, field, value in [(2, 'zipcode', 33609), (3, 'zipcode', 2139), (3, 'policyNumber', 712345), (3, 'insuredPhone', 6175550133), (4, 'zipcode', 875012204), (5, 'zipcode', 850)]:
    cell(sheet, KEYED, field, row).value = value
save(workbook, 'openpyxl-numbers.xlsx', what='ZIP codes, phones and policy numbers that were typed as numbers', fields=KEYED, rows=[
    {'at': at(2), 'is': 'Vega'},
    {'at': at(3), 'is': 'Okafor', 'with': {'policyNumber': '712345', 'insuredPhone': '6175550133'}, 'repairs': {'zipcode': '2139 -> 02139'}},
    {'at': at(4), 'is': "O'Brien", 'repairs': {'zipcode': '875012204 -> 87501-2204'}},
    {'at': at(5), 'problems': ['zipcode-lost-zero in H5']},
])

# Dates in every manner a workbook has.
fields = ['policyNumber', 'policyEffectiveDate', 'dueDate', *REQUIRED]
workbook, sheet = book(table(['Vega'] * 7, fields))
day = datetime.datetime(2026, 11, 1)
for row, value, style in [(2, day, 'yyyy-mm-dd'), (3, day, 'dd/mm/yy'), (4, day, '[$-409]mmmm d, yyyy;@'), (5, day.replace(hour=14, minute=30), 'm/d/yyyy h:mm'), (6, 46327, 'General'), (7, '1 Nov 2026', 'General'), (8, 20261101, '0')]:
    cell(sheet, fields, 'policyEffectiveDate', row).value = value
    cell(sheet, fields, 'policyEffectiveDate', row).number_format = style
for row in range(2, 9):
    cell(sheet, fields, 'policyNumber', row).value = f'P-{row}'
save(workbook, 'openpyxl-dates.xlsx', what='one day written in seven manners', fields=fields, rows=[
    {'at': at(row), 'is': 'Vega', 'with': {'policyNumber': f'P-{row}'}, **({'repairs': {'policyEffectiveDate': f'{held} -> 2026-11-01'}} if held else {})}
    for row, held in [(2, None), (3, None), (4, None), (5, '2026-11-01T14:30:00'), (6, '46327'), (7, '1 Nov 2026'), (8, '20261101')]
])

workbook, sheet = book()
workbook.epoch = CALENDAR_MAC_1904
for row in table():
    sheet.append(row)
save(workbook, 'openpyxl-1904.xlsx', what='days counted from 1904, as old Macs did', rows=sure())

workbook, sheet = book(table(['Vega', 'Chen'], KEYED))
cell(sheet, KEYED, 'insuredName', 2).value = CellRichText('Marisol ', TextBlock(InlineFont(b=True, color='00FF0000'), 'Vega'))
cell(sheet, KEYED, 'insuredName', 3).value = CellRichText(TextBlock(InlineFont(i=True), 'Golden'), ' ', TextBlock(InlineFont(b=True), 'Lotus'), ' LLC')
workbook.save(path('openpyxl-rich-text.xlsx'))
expect('openpyxl-rich-text.xlsx', made=MADE, what='names partly in bold: runs of rich text', fields=KEYED, rows=sure(['Vega', 'Chen']))

workbook, sheet = book(table(['Vega', 'Okafor'], KEYED))
for row, name in [(2, 'Vega'), (3, 'Okafor')]:
    held = cell(sheet, KEYED, 'insuredEmail', row)
    held.hyperlink = f"mailto:{ORDERS[name]['insuredEmail']}?subject=Inspection"
    held.style = 'Hyperlink'
save(workbook, 'openpyxl-hyperlinks.xlsx', what='e-mail addresses that are links', fields=KEYED, rows=sure(['Vega', 'Okafor']))

workbook, sheet = book(table(['Vega', 'Okafor', 'Novak'], KEYED))
cell(sheet, KEYED, 'city', 2).value = '=PROPER("tampa")'
cell(sheet, KEYED, 'zipcode', 3).value = '=VLOOKUP(A3,Lists!A:B,2,FALSE)'
cell(sheet, KEYED, 'insuredPhone', 3).value = '=A1&"1"'
save(workbook, 'openpyxl-formulas-without-values.xlsx', what='formulas that no program has worked out yet', fields=KEYED, rows=[
    {'at': at(2), 'problems': ['cell-formula-without-value in F2']},
    {'at': at(3), 'problems': ['cell-formula-without-value in H3', 'cell-formula-without-value in J3']},
    {'at': at(4), 'is': 'Novak'},
])

workbook, sheet = book()
sheet['A1'] = 'Bayline Mutual: inspection requests'
sheet.merge_cells('A1:K1')
for row in table(['Vega', 'Novak', 'Chen'], KEYED):
    sheet.append(row)
sheet.merge_cells('C3:C4')
save(workbook, 'openpyxl-merged.xlsx', what='a title over merged cells; one policy type merged over two rows, which counts for both', fields=KEYED, notes=['Bayline Mutual: inspection requests'], rows=[
    {'at': at(3), 'is': 'Vega'}, {'at': at(4), 'is': 'Novak', 'repairs': {'policyType': ' -> Homeowners Insurance'}}, {'at': at(5), 'is': 'Chen'},
])

workbook, sheet = book([['Acme Agency, Tampa FL'], ['Orders for week 42', None, None, 'Total insured value', 1250000], [None, None], ['Prepared by', 'Dana']])
for row in table(headers=AGENCY):
    sheet.append(row)
save(workbook, 'openpyxl-title-block.xlsx', what='four lines above the header', notes=['header is row 5', 'Acme Agency, Tampa FL'], rows=sure(first=6))

workbook, sheet = book(table())
lists = workbook.create_sheet('Lists')
lists.append(['Service', 'Policy type', 'House type'])
lists.sheet_state = 'hidden'
for row in table(['Vega'], headers=API):
    workbook.create_sheet('Old orders') if 'Old orders' not in workbook.sheetnames else None
    workbook['Old orders'].append(row)
workbook['Old orders'].sheet_state = 'veryHidden'
save(workbook, 'openpyxl-hidden-sheets.xlsx', what='hidden sheets, one of them with orders', notes=['"Lists" is hidden', '"Old orders" is hidden'], rows=sure())

workbook, sheet = book(table())
sheet.row_dimensions[3].hidden = True
sheet.column_dimensions['L'].hidden = True
sheet.auto_filter.ref = f'A1:{letters(len(FIELDS) - 1)}7'
sheet.freeze_panes = 'C2'
save(workbook, 'openpyxl-hidden-rows.xlsx', what='a row and a column out of sight: the row is a question', rows=[{'at': row['at'], 'problems': ['row-hidden']} if row['is'] == 'Okafor' else row for row in sure()])

workbook, sheet = book(table(['Vega', 'Okafor']), 'New business')
for title, names in [('Renewals', ["O'Brien"]), ('Read me', None), ('Commercial', ['Chen'])]:
    other = workbook.create_sheet(title)
    for row in table(names) if names else [['How to fill this in'], ['One row for each house']]:
        other.append(row)
workbook.create_sheet('Sheet5')
save(workbook, 'openpyxl-several-sheets.xlsx', what='orders on three sheets, a sheet of advice, an empty one', notes=['"Read me" holds no table of orders', '"Sheet5" is empty'], rows=[
    *sure(['Vega', 'Okafor'], sheet='New business'), *sure(["O'Brien"], sheet='Renewals'), *sure(['Chen'], sheet='Commercial'),
])

workbook, sheet = book()
for down, row in enumerate(table()):
    for right, value in enumerate(row):
        sheet.cell(row=7 + down, column=3 + right, value=value)
save(workbook, 'openpyxl-from-c7.xlsx', what='a table that begins in C7', rows=sure(first=8))

workbook, sheet = book(table(['Vega', 'Okafor']))
for row in [*range(4, 60), 5000, 1048576]:
    for column in ['A', 'C', 'AB']:
        sheet[f'{column}{row}'].fill = PatternFill('solid', fgColor='FFFFEE00')
        sheet[f'{column}{row}'].number_format = '@'
save(workbook, 'openpyxl-formatted-empty-rows.xlsx', what='coloured empty rows down to the last one there is', rows=sure(['Vega', 'Okafor']))

fields = ['policyNumber', 'yearBuilt', *REQUIRED]
workbook, sheet = book(table(['Vega', 'Okafor', 'Chen', 'Novak'], fields))
for row, field, code in [(2, 'zipcode', '#N/A'), (3, 'yearBuilt', '#DIV/0!'), (4, 'insuredName', '#REF!'), (4, 'city', '#VALUE!')]:
    cell(sheet, fields, field, row).value = code
    cell(sheet, fields, field, row).data_type = 'e'
save(workbook, 'openpyxl-errors.xlsx', what='error cells', fields=fields, rows=[
    {'at': at(2), 'problems': ['cell-error in I2']}, {'at': at(3), 'is': 'Okafor', 'with': {'yearBuilt': None}, 'repairs': {'yearBuilt': '#DIV/0! -> '}, 'warnings': ['cell-error']}, {'at': at(4), 'problems': ['cell-error in G4', 'cell-error in J4']}, {'at': at(5), 'is': 'Novak'},
])

fields = ['policyNumber', 'dwellingCoverage', *REQUIRED]
rows = table(['Vega', "O'Brien", 'Novak'], fields)
workbook, sheet = book([rows[0], rows[1], [], rows[2], [], [], rows[3], [], ['Total', 1575000.5], ['Grand total:', 1575000.5], ['3 policies']])
save(workbook, 'openpyxl-blank-rows-and-totals.xlsx', what='blank rows among the orders, and sums and a count below them', fields=fields, notes=['rows 9, 10 and 11 are totals'], rows=[
    {'at': at(2), 'is': 'Vega'}, {'at': at(4), 'is': "O'Brien"}, {'at': at(7), 'is': 'Novak'},
])

workbook, sheet = book(table(['Vega', 'Okafor', 'Novak'], [*KEYED, 'insuredPhone']))
sheet['L1'] = 'Insured telephone'
sheet['L3'] = '617-555-0199'
sheet['L4'] = None
save(workbook, 'openpyxl-two-phone-columns.xlsx', what='two columns for one field: the same, different, one empty', fields=KEYED, notes=['all mean "Insured phone"'], rows=[
    {'at': at(2), 'is': 'Vega'}, {'at': at(3), 'problems': ['columns-disagree in J3']}, {'at': at(4), 'is': 'Novak'},
])

workbook, sheet = book(table(['Vega', 'Okafor'], [field for field in KEYED if field != 'zipcode']))
save(workbook, 'openpyxl-no-zip-column.xlsx', what='a required column is missing', fields=[field for field in KEYED if field != 'zipcode'], notes=['no column for "ZIP code"'],
     rows=[{'at': at(row), 'problems': ['required-column-missing']} for row in (2, 3)])

workbook, sheet = book(table(['Vega', 'Novak'], KEYED))
for column, header, value in [('L', 'Rooff age', 12), ('M', 'Zpi code', '33609'), ('N', '__proto__', 'x'), ('O', 'constructor', 'y')]:
    sheet[f'{column}1'] = header
    sheet[f'{column}2'] = value
save(workbook, 'openpyxl-unknown-columns.xlsx', what='columns that nobody knows, and one that is nearly known', fields=KEYED, rows=sure(['Vega', 'Novak']),
     notes=['column L "Rooff age" is not known', 'column M "Zpi code" is not known and is not sent', 'column N "__proto__"'])

fields = ['inspectionNumber', *KEYED]
workbook, sheet = book(table(['Vega'] * 7, fields))
for row, inspection, policy, style in [(2, 'A', 1234567890123456, '0'), (3, 'B', 1.23456789e18, '0.00E+00'), (4, 'C', '1.23E+11', '@'), (5, 'D', 123456789012345, '0'), (6, 'E', 48213, '000000000'), (7, 'F', 48213, '"HO-"0000000'), (8, 'G', 12.5, 'General')]:
    cell(sheet, fields, 'inspectionNumber', row).value = inspection
    cell(sheet, fields, 'policyNumber', row).value = policy
    cell(sheet, fields, 'policyNumber', row).number_format = style
save(workbook, 'openpyxl-ids.xlsx', what='policy numbers that lost digits, and ones that their format shows with zeros', fields=fields, rows=[
    {'at': at(2), 'problems': ['id-lost-digits in B2']}, {'at': at(3), 'problems': ['id-lost-digits in B3']}, {'at': at(4), 'problems': ['id-lost-digits in B4']},
    {'at': at(5), 'is': 'Vega', 'with': {'inspectionNumber': 'D', 'policyNumber': '123456789012345'}},
    {'at': at(6), 'is': 'Vega', 'with': {'inspectionNumber': 'E', 'policyNumber': '000048213'}, 'repairs': {'policyNumber': '48213 -> 000048213'}},
    {'at': at(7), 'is': 'Vega', 'with': {'inspectionNumber': 'F', 'policyNumber': 'HO-0048213'}, 'repairs': {'policyNumber': '48213 -> HO-0048213'}},
    {'at': at(8), 'problems': ['id-not-whole in B8']},
])

workbook = openpyxl.Workbook(write_only=True)
sheet = workbook.create_sheet('Orders')
for row in table():
    sheet.append(row)
save(workbook, 'openpyxl-write-only.xlsx', what="openpyxl's streaming manner", rows=sure())

workbook, sheet = book(table())
sheet.add_table(Table(displayName='Orders', ref=f'A1:{letters(len(FIELDS) - 1)}7'))
choice = DataValidation(type='list', formula1='"Yes,No"', allow_blank=True)
sheet.add_data_validation(choice)
choice.add('W2:W1000')
sheet['A2'].comment = Comment('Ask Dana about this one', 'Luis')
sheet['A2'].font = Font(bold=True, strike=True)
save(workbook, 'openpyxl-table.xlsx', what='a table object, drop-downs, a comment, fonts, a cell that is struck through', rows=[{'at': at(2), 'problems': ['cell-struck-out in A2']}, *sure()[1:]])

workbook, sheet = book(table())
lower = workbook.create_sheet('Chart data')
lower.append(['Month', 'Orders'])
lower.append(['Oct', 14])
workbook.create_chartsheet('Chart')
workbook.move_sheet('Chart', -2)
save(workbook, 'openpyxl-chart-sheet.xlsx', what='a sheet that is a chart stands first', notes=['"Chart data" holds no table of orders'], rows=sure())

workbook, sheet = book(table(['Vega', 'Okafor', 'Chen'], KEYED))
for row, field, value in [(2, 'state', 'florida'), (2, 'serviceName', '4 point'), (2, 'houseType', 'residential single-family'), (3, 'state', 'Mass.'), (3, 'insuredName', '  Chidi\nOkafor '), (4, 'serviceName', 'Roof'), (4, 'state', 'Cal'), (4, 'houseType', 'Residential Condo')]:
    cell(sheet, KEYED, field, row).value = value
save(workbook, 'openpyxl-spellings.xlsx', what='state names, listed values in other cases and hyphens, a usual word, a house type of another policy type', fields=KEYED, rows=[
    {'at': at(2), 'is': 'Vega', 'repairs': {'state': 'florida -> FL', 'serviceName': '4 point -> 4-Point', 'houseType': 'residential single-family -> Residential Single Family'}},
    {'at': at(3), 'is': 'Okafor', 'repairs': {'state': 'Mass. -> MA', 'insuredName': '  Chidi\nOkafor  -> Chidi Okafor'}},
    {'at': at(4), 'problems': ['house-type-of-policy-type in D4']},
])
