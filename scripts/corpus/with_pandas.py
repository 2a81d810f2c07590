"""Tables written by pandas, as a person who keeps orders in a data frame would."""
import pandas

from corpus import AGENCY, FIELDS, KEYED, NAMES, ORDERS, REQUIRED, TITLES, at, expect, path, sure, table

MADE = f'pandas {pandas.__version__}'
BY = '(scripts/corpus/with_pandas.py)'


def frame(names=None, fields=None, headers=TITLES, typed=True):
    rows = table(names, fields, headers, typed)
    return pandas.DataFrame(rows[1:], columns=rows[0])


frame().to_excel(path('pandas-openpyxl.xlsx'), sheet_name='Orders')
expect('pandas-openpyxl.xlsx', what='a data frame with its index in column A, which has no header', made=f'{MADE} with openpyxl {BY}', rows=sure())

with pandas.ExcelWriter(path('pandas-xlsxwriter.xlsx'), engine='xlsxwriter') as writer:
    frame(['Vega', 'Okafor']).to_excel(writer, sheet_name='Home', index=False, startrow=2)
    frame(['Chen']).to_excel(writer, sheet_name='Commercial', index=False)
expect('pandas-xlsxwriter.xlsx', what='two frames on two sheets, one of them from row 3', made=f'{MADE} with XlsxWriter {BY}', rows=[*sure(['Vega', 'Okafor'], 4, 'Home'), *sure(['Chen'], sheet='Commercial')])

fields = ['policyEffectiveDate', 'yearBuilt', 'isRenewal', *KEYED]
numbers = frame(['Vega', 'Okafor', 'Novak'], fields)
numbers['ZIP code'] = [33609, 2139, 85041]
numbers['Policy effective date'] = pandas.to_datetime(['2026-11-01', '2026-12-13', None])
numbers['Renewal'] = [True, False, None]
numbers.to_excel(path('pandas-types.xlsx'), sheet_name='Orders', index=False)
expect('pandas-types.xlsx', what='a data frame of dates, truth values, and numbers where some are missing', made=f'{MADE} with openpyxl {BY}', fields=fields, rows=[
    {'at': at(2), 'is': 'Vega'}, {'at': at(3), 'is': 'Okafor', 'repairs': {'zipcode': '2139 -> 02139'}}, {'at': at(4), 'is': 'Novak'},
])

csv = frame(['Vega', 'Okafor', 'Novak'], fields)
csv['ZIP code'] = [33609.0, 2139.0, None]
csv['Renewal'] = [True, False, None]
csv.loc[2, 'ZIP code'] = 85041.0
csv.to_csv(path('pandas-index-and-floats.csv'))
expect('pandas-index-and-floats.csv', what='a CSV with the index in front and every number with a decimal', made=f'{MADE} {BY}', fields=fields, rows=[
    {'at': '2', 'is': 'Vega', 'repairs': {'zipcode': '33609.0 -> 33609', 'yearBuilt': '1987.0 -> 1987'}},
    {'at': '3', 'is': 'Okafor', 'repairs': {'zipcode': '2139.0 -> 02139', 'yearBuilt': '1924.0 -> 1924'}},
    {'at': '4', 'is': 'Novak', 'repairs': {'zipcode': '85041.0 -> 85041'}},
])

frame(typed=False).to_csv(path('pandas-semicolon-utf8-mark.csv'), sep=';', index=False, encoding='utf-8-sig')
expect('pandas-semicolon-utf8-mark.csv', what='semicolons and a byte order mark', made=f'{MADE} {BY}', notes=['separated by ";"'], rows=sure(sheet=None))

frame(typed=False, headers=AGENCY).to_csv(path('pandas-utf16.txt'), sep='\t', index=False, encoding='utf-16')
expect('pandas-utf16.txt', what="Excel's \"Unicode text\": UTF-16 and tabs", made=f'{MADE} {BY}', notes=['UTF-16'], rows=sure(sheet=None))

frame(typed=False).to_csv(path('pandas-quote-all.csv'), index=False, quoting=1, lineterminator='\r\n')
expect('pandas-quote-all.csv', what='every cell in quotation marks', made=f'{MADE} {BY}', rows=sure(sheet=None))

frame(['Vega', 'Novak'], KEYED, typed=False).to_csv(path('pandas-backslash-escapes.csv'), index=False, sep='|', quoting=3, escapechar='\\')
expect('pandas-backslash-escapes.csv', what='pipes, no quotation marks', made=f'{MADE} {BY}', fields=KEYED, notes=['separated by "|"'], rows=sure(['Vega', 'Novak'], sheet=None))
