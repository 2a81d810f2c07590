"""Workbooks written by XlsxWriter."""
import datetime
import io

import xlsxwriter

from corpus import AGENCY, FIELDS, KEYED, NAMES, ORDERS, REQUIRED, TITLES, at, expect, letters, path, sure, table

MADE = f'XlsxWriter {xlsxwriter.__version__} (scripts/corpus/with_xlsxwriter.py)'


class Book:
    """One workbook; `put` writes a table from a cell on, dates as dates."""

    def __init__(self, name, **options):
        self.name = name
        self.workbook = xlsxwriter.Workbook(path(name), options)
        self.day = self.workbook.add_format({'num_format': 'mm/dd/yyyy'})
        self.sheet = self.workbook.add_worksheet('Orders')

    def put(self, rows, row=0, column=0, sheet=None):
        for down, values in enumerate(rows):
            for right, value in enumerate(values):
                if isinstance(value, datetime.date):
                    (sheet or self.sheet).write_datetime(row + down, column + right, value, self.day)
                elif value is not None:
                    (sheet or self.sheet).write(row + down, column + right, value)
        return self

    def done(self, **expected):
        self.workbook.close()
        expect(self.name, made=MADE, **expected)


Book('xlsxwriter-plain.xlsx').put(table()).done(what='every field of six orders', rows=sure())
Book('xlsxwriter-constant-memory.xlsx', constant_memory=True).put(table()).done(what='written row by row: texts stand in the cells, not in a table', rows=sure())
Book('xlsxwriter-1904.xlsx', date_1904=True).put(table()).done(what='days counted from 1904', rows=sure())
Book('xlsxwriter-from-e5.xlsx').put(table(headers=AGENCY), 4, 4).done(what='a table that begins in E5', rows=sure(first=6))

book = Book('xlsxwriter-zip64.xlsx').put(table())
book.workbook.use_zip64()
book.done(what='a ZIP64, as for very large workbooks', rows=sure())

book = Book('xlsxwriter-rich-strings.xlsx').put(table(['Vega', "O'Brien"], KEYED))
bold = book.workbook.add_format({'bold': True})
red = book.workbook.add_format({'color': 'red'})
book.sheet.write_rich_string(1, KEYED.index('insuredName'), 'Marisol', bold, ' Vega')
book.sheet.write_rich_string(2, KEYED.index('streetAddress'), red, '45 ', 'Camino ', bold, 'Peñasco', ' #3')
book.done(what='rich strings', fields=KEYED, rows=sure(['Vega', "O'Brien"]))

fields = ['dwellingCoverage', 'otherStructureCoverage', *KEYED]
book = Book('xlsxwriter-formulas-with-values.xlsx').put(table(['Vega', 'Novak'], fields))
book.sheet.write_formula('A2', '=B2*10', None, 325000)
book.sheet.write_formula('H2', '=PROPER("tampa")', None, 'Tampa')
book.sheet.write_formula('J2', '=TEXT(33609,"00000")', None, '33609')
book.sheet.write_array_formula('F3:F3', '{=INDEX({"Mobile Home"},1)}', None, 'Mobile Home')
book.sheet.write_formula('L3', '=HYPERLINK("tel:602-555-0199","602-555-0199")', None, '602-555-0199')
book.sheet.write_formula('K2', '=NA()', None, '#N/A')
book.done(what='formulas with the values they came to, one of them an error', fields=fields, rows=[{'at': at(2), 'problems': ['cell-error in K2']}, {'at': at(3), 'is': 'Novak'}])

book = Book('xlsxwriter-formats-of-zeros.xlsx').put(table(['Okafor', 'Vega', "O'Brien"], KEYED))
zip_place, policy_place = KEYED.index('zipcode'), KEYED.index('policyNumber')
book.sheet.write_number(1, zip_place, 2139, book.workbook.add_format({'num_format': '00000'}))
book.sheet.write_number(1, policy_place, 712345, book.workbook.add_format({'num_format': '00000000'}))
book.sheet.write_string(2, zip_place, '33609', book.workbook.add_format({'num_format': '@'}))
book.sheet.write_number(3, zip_place, 875012204, book.workbook.add_format({'num_format': '00000-0000'}))
book.done(what='ZIP codes and a policy number whose zeros are only shown', fields=KEYED, rows=[
    {'at': at(2), 'is': 'Okafor', 'repairs': {'zipcode': '2139 -> 02139', 'policyNumber': '712345 -> 00712345'}},
    {'at': at(3), 'is': 'Vega'},
    {'at': at(4), 'is': "O'Brien", 'repairs': {'zipcode': '875012204 -> 87501-2204'}},
])

fields = ['dwellingCoverage', 'otherStructureCoverage', 'contentCoverage', 'carrierProvidedLivingArea', 'yearBuilt', *KEYED]
book = Book('xlsxwriter-money.xlsx').put(table(['Vega'] * 3, fields))
money = book.workbook.add_format({'num_format': '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)'})
for row, values in enumerate([(325000, 32500, 160000, 1850, 1987), ('$325,000', '32.5k', 'USD 160,000.00', '1,850 sq ft', '1987'), ('325.000', -5, 'about 160000', '1 850 m2', 87)]):
    for column, value in enumerate(values):
        book.sheet.write(1 + row, column, value, money)
    book.sheet.write(1 + row, fields.index('policyNumber'), f'M-{row}')
book.done(what='amounts as numbers in accounting format, as texts, and as nobody can read them', fields=fields, rows=[
    {'at': at(2), 'is': 'Vega', 'with': {'policyNumber': 'M-0'}},
    {'at': at(3), 'is': 'Vega', 'with': {'policyNumber': 'M-1'}, 'repairs': {
        'dwellingCoverage': '$325,000 -> 325000', 'otherStructureCoverage': '32.5k -> 32500', 'contentCoverage': 'USD 160,000.00 -> 160000', 'carrierProvidedLivingArea': '1,850 sq ft -> 1850'}},
    {'at': at(4), 'problems': ['amount-ambiguous in A4']},
])

strange = {'insuredName': 'Ζωή 🏠 שָׁלוֹם e\u0301 _x0041_ & <b>"x"</b>', 'streetAddress': '=1+1 Main St', 'city': "'Quoted", 'note': '@home -1 +2 \\n %s ${x} {{y}}'}
fields = ['note', *KEYED]
book = Book('xlsxwriter-strange-texts.xlsx', strings_to_formulas=False).put(table(['Vega'], fields))
for field, value in strange.items():
    book.sheet.write_string(1, fields.index(field), value)
book.done(what='texts in many scripts, and ones that look like formulas, markup or escapes', fields=fields, rows=[{'at': at(2), 'is': 'Vega', 'with': strange}])

long = 'Roof photos, please. ' * 1560
book = Book('xlsxwriter-long-note.xlsx').put(table(['Vega'], ['note', *KEYED]))
book.sheet.write_string(1, 0, long.strip())
book.done(what='a note as long as a cell can be', fields=['note', *KEYED], rows=[{'at': at(2), 'is': 'Vega', 'with': {'note': long.strip()}}])

fields = ['isRenewal', *KEYED]
book = Book('xlsxwriter-yes-and-no.xlsx').put(table(['Vega'] * 7, fields))
for row, value in enumerate([True, False, 'Y', 'n', 1, 'Renewal', 'maybe']):
    book.sheet.write(1 + row, 0, value)
    book.sheet.write(1 + row, 1, f'Y-{row}')
book.done(what='yes and no in seven manners', fields=fields, rows=[
    *[{'at': at(2 + row), 'is': 'Vega', 'with': {'policyNumber': f'Y-{row}', 'isRenewal': said}, **({'repairs': {'isRenewal': f'{held} -> {"Yes" if said else "No"}'}} if held else {})}
      for row, (said, held) in enumerate([(True, None), (False, None), (True, 'Y'), (False, 'n'), (True, '1'), (True, 'Renewal')])],
    {'at': at(8), 'is': 'Vega', 'with': {'policyNumber': 'Y-6', 'isRenewal': None}, 'repairs': {'isRenewal': 'maybe -> '}, 'warnings': ['not-yes-or-no']},
])

book = Book('xlsxwriter-hidden-first-sheet.xlsx')
other = book.workbook.add_worksheet('October')
book.put(table(['Vega'])).put(table(["O'Brien", 'Chen']), sheet=other)
other.activate()
other.set_first_sheet()
book.sheet.hide()
other.set_row(1, None, None, {'hidden': True})
other.set_column('C:F', None, None, {'hidden': True})
book.done(what='the first sheet is hidden; rows and columns of the second are', notes=['"Orders" is hidden'], rows=[{'at': row['at'], 'problems': ['row-hidden']} if row['is'] == "O'Brien" else row for row in sure(["O'Brien", 'Chen'], sheet='October')])

book = Book('xlsxwriter-table-with-totals.xlsx')
rows = table()
columns = [{'header': header} for header in rows[0]]
columns[0]['total_string'] = 'Total'
columns[FIELDS.index('dwellingCoverage')]['total_function'] = 'sum'
book.sheet.add_table(2, 1, 9, len(FIELDS), {'columns': columns, 'total_row': True, 'autofilter': True})
book.put(rows[1:], 3, 1).done(what='a table object from B3 with a totals row', notes=['row 10 is a total'], rows=sure(first=4))

compound = bytes.fromhex('d0cf11e0a1b11ae1') + bytes(1016)
book = Book('xlsxwriter-macro.xlsm').put(table())
book.workbook.add_vba_project(io.BytesIO(compound), True)
book.workbook.set_vba_name('ThisWorkbook')
book.sheet.set_vba_name('Sheet1')
book.done(what='a workbook with macros', rows=sure())

book = Book('xlsxwriter-everything-else.xlsx').put(table())
book.sheet.set_header('&LOrders&RPage &P')
book.sheet.conditional_format('A1:Z9', {'type': 'no_blanks', 'format': book.day})
book.sheet.data_validation('X2:X9', {'validate': 'list', 'source': ['RC Report', 'Sinkhole']})
book.sheet.insert_textbox('AD2', 'Policy number')
book.sheet.add_sparkline('AE2', {'range': 'Orders!R2:S2'})
book.sheet.protect('secret')
book.workbook.define_name('Zip', '=Orders!$L$1')
chart = book.workbook.add_chart({'type': 'column'})
chart.add_series({'values': '=Orders!$R$2:$R$7'})
book.sheet.insert_chart('AD12', chart)
book.workbook.set_properties({'title': 'Orders', 'author': 'Dana'})
book.done(what='a protected sheet with a chart, a text box, a sparkline, conditional formats, names', rows=sure())

book = Book('xlsxwriter-hyperlinks.xlsx').put(table(['Vega', 'Okafor'], KEYED))
place = KEYED.index('insuredEmail')
book.sheet.write_url(1, place, 'mailto:marisol.vega@example.com', None, 'marisol.vega@example.com')
book.sheet.write_url(2, place, 'mailto:c.okafor@example.com')
book.done(what='e-mail addresses as links, one without a text of its own', fields=KEYED, rows=sure(['Vega', 'Okafor']))
