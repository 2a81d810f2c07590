"""Spreadsheets written by somebody who had read the contract and not the code: what a clerk would drop, and what a clerk would expect.

Needs openpyxl. Each row's expectation is a list of what is acceptable: 'back' (it is rejected), 'left' (it is not a row of data), or what is sent,
{'sends': {field: value}, 'told': [fields that must carry a repair or a warning]}."""
import json
import pathlib
import zipfile

import openpyxl
from openpyxl.styles import Font

ROOT = pathlib.Path(__file__).resolve().parents[2] / 'test' / 'corpus' / 'outside'
ROOT.mkdir(parents=True, exist_ok=True)
for old in ROOT.iterdir():
    old.unlink()
EXPECTED = {}

PEOPLE = [
    ('Grace Holloway', '813-555-0101', 'grace@example.com', '118 Oak Ridge Ln', 'Tampa', 'FL', '33609'),
    ('Peter Nnamdi', '305-555-0102', 'peter@example.com', '77 Bay St', 'Miami', 'FL', '33131'),
    ('Lucille Baptiste', '407-555-0103', 'lucille@example.com', '9 Orange Ave', 'Orlando', 'FL', '32801'),
    ('Walter Kim', '904-555-0104', 'walter@example.com', '450 Beach Blvd', 'Jacksonville', 'FL', '32202'),
    ('Ines Duarte', '512-555-0105', 'ines@example.com', '2100 Guadalupe St', 'Austin', 'TX', '78705'),
    ('Tom Sorensen', '713-555-0106', 'tom@example.com', '31 Main St', 'Houston', 'TX', '77002'),
]
HEAD = ['Policy Number', 'Effective Date', 'Insured Name', 'Insured Phone', 'Insured Email', 'Address', 'City', 'State', 'Zip', 'Service', 'Policy Type', 'House Type', 'Dwelling Coverage']
FIELD = dict(zip(HEAD, ['policyNumber', 'policyEffectiveDate', 'insuredName', 'insuredPhone', 'insuredEmail', 'streetAddress', 'city', 'state', 'zipcode', 'serviceName', 'policyType', 'houseType', 'dwellingCoverage']))


def row(n, **changes):
    name, phone, mail, street, city, state, zipcode = PEOPLE[n % len(PEOPLE)]
    if n >= len(PEOPLE):
        street = f'{100 + n} ' + street.split(' ', 1)[1]
    held = dict(zip(HEAD, [f'HO-{7000 + n}', '2026-11-20', name, phone, mail, street, city, state, zipcode, '4-Point', 'Homeowners Insurance', 'Residential Single Family', '325000']))
    for key, value in changes.items():
        held[key.replace('_', ' ')] = value
    return held


def cells(rows, head):
    return [head, *[[each.get(title, '') for title in head] for each in rows]]


def quoted(value, separator=','):
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in (separator, '"', '\n', '\r')) else text


def csv(name, table, what, rows, encoding='utf-8', end='\r\n', notes=()):
    text = ''.join(','.join(quoted(value) for value in line) + end for line in table)
    (ROOT / name).write_bytes(text.encode(encoding))
    EXPECTED[name] = {'what': what, 'rows': rows, 'notes': list(notes)}


def book(table, sheet='Orders'):
    workbook = openpyxl.Workbook()
    workbook.active.title = sheet
    for line in table:
        workbook.active.append([None if value == '' else value for value in line])
    return workbook, workbook.active


def save(workbook, name, what, rows, notes=()):
    workbook.save(ROOT / name)
    EXPECTED[name] = {'what': what, 'rows': rows, 'notes': list(notes)}


def sends(told=(), **values):
    return {'sends': values, 'told': list(told)}


def plain(n, told=(), **more):
    held = row(n)
    values = {FIELD[title]: held[title] for title in ('Policy Number', 'Insured Name', 'Address', 'City', 'State', 'Zip')}
    return {'sends': {**values, **more}, 'told': list(told)}


def at(number, *outcomes, sheet=None):
    return {'at': f'{sheet} {number}' if sheet else str(number), 'any': list(outcomes)}


def column(title, values, head=HEAD):
    return cells([row(n, **{title.replace(' ', '_'): value}) for n, value in enumerate(values)], head)


# --- dates -------------------------------------------------------------------------------------------------------------------------------
clear_us = [f'12/{13 + n}/2026' for n in range(12)]
csv('dates-one-against-twelve.csv', column('Effective Date', [*clear_us, '12/01/2026', '11/02/2026', '13/12/2026']), 'twelve dates month first, two that could be both, one against them', [
    *[at(2 + n, plain(n, policyEffectiveDate=f'2026-12-{13 + n}')) for n in range(12)],
    at(14, plain(12, policyEffectiveDate='2026-12-01')), at(15, plain(13, policyEffectiveDate='2026-11-02')), at(16, 'back', plain(14, ['policyEffectiveDate'], policyEffectiveDate='2026-12-13'))])
csv('dates-one-mistyped.csv', column('Effective Date', [*[f'12/{n:02}/2026' for n in range(1, 10)], *[f'11/{n:02}/2026' for n in range(1, 10)], '13/12/2026']), 'eighteen dates that could be both in an American file, and one mistyped', [
    *[at(2 + n, 'back', plain(n, policyEffectiveDate=f'2026-12-{n + 1:02}')) for n in range(9)], *[at(11 + n, 'back', plain(9 + n, policyEffectiveDate=f'2026-11-{n + 1:02}')) for n in range(9)],
    at(20, 'back', plain(18, ['policyEffectiveDate'], policyEffectiveDate='2026-12-13'))])
csv('dates-day-first.csv', column('Effective Date', [*[f'{15 + n}/11/2026' for n in range(11)], '03/12/2026', '05/11/2026', '12/25/2026']), 'a column that is clearly day first, with one American date', [
    *[at(2 + n, plain(n, policyEffectiveDate=f'2026-11-{15 + n}')) for n in range(11)],
    at(13, 'back', plain(11, policyEffectiveDate='2026-12-03')), at(14, 'back', plain(12, policyEffectiveDate='2026-11-05')), at(15, 'back', plain(13, ['policyEffectiveDate'], policyEffectiveDate='2026-12-25'))])
csv('dates-american-only.csv', column('Effective Date', ['12/01/2026', '11/05/2026', '11/02/2026', '12/03/2026']), 'an American file whose dates could all be both', [
    at(2, plain(0, policyEffectiveDate='2026-12-01')), at(3, plain(1, policyEffectiveDate='2026-11-05')), at(4, plain(2, policyEffectiveDate='2026-11-02')), at(5, plain(3, policyEffectiveDate='2026-12-03'))])
csv('dates-manners.csv', column('Effective Date', ['Thu 11/5/2026', '11 / 15 / 2026', '11/19/26', 'Nov. 20, 2026', '20-Nov-2026', '11/31/2026']), 'one date a manner; the last is no day', [
    at(2, plain(0, policyEffectiveDate='2026-11-05')), at(3, plain(1, policyEffectiveDate='2026-11-15')), at(4, plain(2, policyEffectiveDate='2026-11-19')),
    at(5, plain(3, policyEffectiveDate='2026-11-20')), at(6, plain(4, policyEffectiveDate='2026-11-20')), at(7, 'back')])
csv('dates-eight-digits.csv', column('Effective Date', ['11052026', '11152026', '11202026', '12012026']), 'month, day and year without separators', [
    at(2, 'back', plain(0, policyEffectiveDate='2026-11-05')), at(3, plain(1, policyEffectiveDate='2026-11-15')), at(4, plain(2, policyEffectiveDate='2026-11-20')), at(5, 'back', plain(3, policyEffectiveDate='2026-12-01'))])
csv('dates-half-and-half.csv', column('Effective Date', ['13/11/2026', '14/11/2026', '15/11/2026', '11/16/2026', '11/17/2026', '11/18/2026', '11/12/2026', '12/11/2026']), 'half the column month first, half day first', [
    *[at(2 + n, 'back', plain(n, policyEffectiveDate=f'2026-11-{13 + n}')) for n in range(6)],
    at(8, 'back', plain(6, ['policyEffectiveDate'], policyEffectiveDate='2026-11-12')), at(9, 'back', plain(7, ['policyEffectiveDate'], policyEffectiveDate='2026-12-11'))])

# --- amounts -----------------------------------------------------------------------------------------------------------------------------
csv('amounts-one-european.csv', column('Dwelling Coverage', [*[f'{350 + n},000' for n in range(14)], '350.000,00']), 'one amount in the European manner among American ones', [
    *[at(2 + n, plain(n, dwellingCoverage=(350 + n) * 1000)) for n in range(14)], at(16, 'back', plain(14, ['dwellingCoverage'], dwellingCoverage=350000))])
csv('amounts-one-typo.csv', column('Dwelling Coverage', [*[f'${210 + n},000' for n in range(14)], '$250,00']), 'a zero was lost from one amount', [
    *[at(2 + n, plain(n, dwellingCoverage=(210 + n) * 1000)) for n in range(14)], at(16, 'back')])
csv('amounts-thousand.csv', column('Dwelling Coverage', ['$1,250', '$250,000', '$1,250,000.50', '325000']), 'three digits behind a comma are thousands', [
    at(2, plain(0, dwellingCoverage=1250), plain(0, ['dwellingCoverage'], dwellingCoverage=1250)), at(3, plain(1, dwellingCoverage=250000)), at(4, plain(2, dwellingCoverage=1250000.5)), at(5, plain(3, dwellingCoverage=325000))])
csv('amounts-short.csv', column('Dwelling Coverage', ['$1.2M', '350k', '$0.5M', '1.2 million']), 'amounts written short', [
    at(2, plain(0, ['dwellingCoverage'], dwellingCoverage=1200000)), at(3, plain(1, ['dwellingCoverage'], dwellingCoverage=350000)), at(4, plain(2, ['dwellingCoverage'], dwellingCoverage=500000)), at(5, 'back', plain(3, ['dwellingCoverage'], dwellingCoverage=1200000))])
csv('amounts-dash.csv', column('Dwelling Coverage', ['$-', ' $ -   ', '-', '$325,000']), "an accountant's dash is no amount", [
    *[at(2 + n, plain(n, dwellingCoverage=None), plain(n, dwellingCoverage=0)) for n in range(3)], at(5, plain(3, dwellingCoverage=325000))])
coverage = [*HEAD[:-1], 'Cov A (€)', 'Cov B %', 'Cov C (%)']
csv('amounts-other-units.csv', cells([row(0, **{'Cov_A_(€)': '300000', 'Cov_B_%': '10', 'Cov_C_(%)': '50'}), row(1)], coverage), 'percentages and euros are no dollars', [
    at(2, 'back', plain(0, dwellingCoverage=None, otherStructureCoverage=None, contentCoverage=None)), at(3, plain(1, dwellingCoverage=None))])

# --- which house ---------------------------------------------------------------------------------------------------------------------------
for title in ('Location 1 Address', 'Property Location', 'Physical Location (if different)', 'Risk Location'):
    key = title.replace(' ', '_')
    csv(f'house-{title.split()[0].lower()}-beside-address.csv', cells([row(0, **{key: ''}), row(1, **{key: 'Same'}), row(2, **{key: '500 Lake Dr'}), row(3, **{key: '12 Harbor Way, Tampa, FL 33606'}), row(4, **{key: '2100 Guadalupe St'})], [*HEAD, title]),
        f'"{title}" beside the address: blank, "Same", another street, another whole address, the same street', [
        at(2, plain(0)), at(3, plain(1)), at(4, 'back'), at(5, 'back', {'sends': {'streetAddress': '12 Harbor Way', 'city': 'Tampa', 'state': 'FL', 'zipcode': '33606'}, 'told': []}), at(6, plain(4))])
mailing = ['Policy Number', 'Effective Date', 'Insured Name', 'Insured Phone', 'Insured Email', 'Mailing Address', 'City', 'State', 'Zip', 'Location', 'Service', 'Policy Type', 'House Type']
csv('house-mailing-then-location.csv', cells([row(0, Mailing_Address='PO Box 12', Location='118 Oak Ridge Ln'), row(1, Mailing_Address='77 Bay St', Location='14 Coral Way, Miami, FL 33145'), row(2, Mailing_Address='9 Orange Ave', Location='9 Orange Ave')], mailing),
    "the location's street beside the mailing address's city", [
    at(2, 'back'), at(3, 'back', {'sends': {'streetAddress': '14 Coral Way', 'city': 'Miami', 'zipcode': '33145'}, 'told': []}), at(4, 'back', plain(2))])
both = ['Policy Number', 'Effective Date', 'Insured Name', 'Insured Phone', 'Insured Email', 'Mailing Street', 'Mailing City', 'Mailing State', 'Mailing Zip', 'Risk Street', 'Risk City', 'Risk State', 'Risk Zip', 'Service', 'Policy Type', 'House Type']
csv('house-mailing-and-risk.csv', cells([row(n, Mailing_Street='PO Box 9', Mailing_City='Reno', Mailing_State='NV', Mailing_Zip='89501', Risk_Street=row(n)['Address'], Risk_City=row(n)['City'], Risk_State=row(n)['State'], Risk_Zip=row(n)['Zip']) for n in range(2)], both),
    'two whole addresses: the risk is what is inspected', [at(2, plain(0)), at(3, plain(1))])
onecell = ['Policy Number', 'Effective Date', 'Insured Name', 'Insured Phone', 'Insured Email', 'Property Address', 'Service', 'Policy Type', 'House Type']
csv('address-in-one-cell.csv', cells([row(0, Property_Address='118 Oak Ridge Ln, Tampa, FL 33609'), row(1, Property_Address='77 Bay St, Unit 4B, Miami, FL 33131-1234'), row(2, Property_Address='9 Orange Ave Orlando'), row(3, Property_Address='450 Beach Blvd, Jacksonville, FL 77002')], onecell),
    'the whole address in one cell; the third has no state, the fourth a ZIP code of Texas', [
    at(2, plain(0, ['streetAddress'])), at(3, {'sends': {'city': 'Miami', 'state': 'FL', 'zipcode': '33131-1234'}, 'told': ['streetAddress']}), at(4, 'back'), at(5, 'back')])
csz = ['Policy Number', 'Effective Date', 'Insured Name', 'Insured Phone', 'Insured Email', 'Address', 'City, State Zip', 'Service', 'Policy Type', 'House Type']
csv('address-city-state-zip.csv', cells([row(n, **{'City,_State_Zip': f"{row(n)['City']}, {row(n)['State']} {row(n)['Zip']}"}) for n in range(3)], csz), 'city, state and ZIP code in one column', [at(2 + n, plain(n)) for n in range(3)])
csv('address-city-st.csv', cells([row(n, **{'City': f"{row(n)['City']}, {row(n)['State']}"}) for n in range(3)], [title for title in HEAD if title != 'State']), 'the state behind the city, no column of its own', [at(2 + n, plain(n)) for n in range(3)])
csv('address-state-zip.csv', cells([row(0, State='Florida (FL)'), row(1, Zip='FL 33131'), row(2, State='florida'), row(3, State='FL.', Zip='32202 ')], HEAD), 'states and ZIP codes in other words', [at(2 + n, plain(n)) for n in range(4)])
parts = ['Policy Number', 'Effective Date', 'Insured Name', 'Insured Phone', 'Insured Email', 'House #', 'Street Direction', 'Street Name', 'Street Suffix', 'Unit', 'City', 'State', 'Zip', 'Service', 'Policy Type', 'House Type']
csv('address-in-parts.csv', cells([row(0, **{'House_#': '118', 'Street_Direction': 'N', 'Street_Name': 'Oak Ridge', 'Street_Suffix': 'Ln', 'Unit': '4'}), row(1, **{'House_#': '77', 'Street_Name': 'Bay', 'Street_Suffix': 'St'})], parts),
    'number, direction, name, suffix and unit of the street in columns of their own', [
    at(2, 'back', {'has': {'streetAddress': ['118', 'N', 'Oak Ridge', 'Ln', '4']}, 'told': ['streetAddress']}), at(3, 'back', {'sends': {'streetAddress': '77 Bay St'}, 'told': ['streetAddress']})])
csv('address-building.csv', cells([row(0, Building='C'), row(1)], [*HEAD, 'Building']), 'a building that is filled once', [at(2, 'back', {'has': {'streetAddress': ['118 Oak Ridge Ln', 'C']}, 'told': ['streetAddress']}), at(3, plain(1))])
csv('address-words.csv', column('Address', ['Same as mailing', 'various', 'See notes', 'Multiple locations - see SOV', '12', 'PO Box 12', '31 Main St']), 'words where the street stands', [
    *[at(2 + n, 'back') for n in range(4)], at(6, 'back', {'sends': {'streetAddress': '12'}, 'told': ['streetAddress']}), at(7, 'back', {'sends': {'streetAddress': 'PO Box 12'}, 'told': ['streetAddress']}),
    at(8, {'sends': {'streetAddress': '31 Main St'}, 'told': []})])

# --- who ---------------------------------------------------------------------------------------------------------------------------------------
names = [title if title != 'Insured Name' else 'First Name' for title in HEAD]
names[3:3] = ['MI', 'Last Name', 'Suffix']
csv('name-in-parts.csv', cells([row(0, First_Name='Robert', MI='J', Last_Name='Miller', Suffix='Jr'), row(1, First_Name='Ana', Last_Name='Reyes')], names), 'first name, initial, last name and suffix', [
    at(2, 'back', {'has': {'insuredName': ['Robert', 'J', 'Miller', 'Jr']}, 'told': ['insuredName']}), at(3, {'sends': {'insuredName': 'Ana Reyes'}, 'told': ['insuredName']})])
table = cells([row(0, First='Marisol', Last='Vega')], [*HEAD[:2], 'First', 'Last', *HEAD[3:]])
table[0][2] = 'Insured Name'
table[0][3] = ''
workbook, sheet = book(table)
sheet.merge_cells('C1:D1')
save(workbook, 'name-merged-header.xlsx', 'one header merged over the first and the last name', [at(2, 'back', {'sends': {'insuredName': 'Marisol Vega'}, 'told': ['insuredName']}, sheet='Orders')])
workbook, sheet = book(cells([row(0), row(1, Insured_Name='Count'), row(2, Insured_Name='Total Wine LLC')], HEAD))
save(workbook, 'name-count.xlsx', 'insured people who are called like a total', [at(2, plain(0), sheet='Orders'), at(3, 'back', sends(insuredName='Count'), sheet='Orders'), at(4, sends(insuredName='Total Wine LLC'), sheet='Orders')])

# --- what a sheet hides ---------------------------------------------------------------------------------------------------------------------
workbook, sheet = book(cells([row(0), row(1)], [*HEAD, 'Content Coverage']))
sheet['M2'], sheet['N2'] = 325000, 999
sheet.merge_cells('M2:N2')
workbook.save(ROOT / 'tmp.xlsx')
with zipfile.ZipFile(ROOT / 'tmp.xlsx') as source, zipfile.ZipFile(ROOT / 'hidden-under-merge.xlsx', 'w', zipfile.ZIP_DEFLATED) as made:
    for entry in source.namelist():
        data = source.read(entry)
        if entry == 'xl/worksheets/sheet1.xml':
            data = data.replace(b'</c></row><row r="3">', b'</c><c r="N2"><v>999</v></c></row><row r="3">')
            assert b'<v>999</v>' in data
        made.writestr(entry, data)
(ROOT / 'tmp.xlsx').unlink()
EXPECTED['hidden-under-merge.xlsx'] = {'what': 'a value that nobody sees, under a merged cell', 'notes': [], 'rows': [at(2, 'back', {'sends': {'contentCoverage': None}, 'told': []}, {'sends': {'contentCoverage': 999}, 'told': ['contentCoverage']}, sheet='Orders'), at(3, plain(1), sheet='Orders')]}
workbook, sheet = book(cells([row(0), row(1), row(2)], HEAD))
for place in sheet[3]:
    place.font = Font(strike=True)
save(workbook, 'struck-out.xlsx', 'a row that somebody struck out', [at(2, plain(0), sheet='Orders'), at(3, 'back', {'sends': {'insuredName': 'Peter Nnamdi'}, 'told': ['*']}, sheet='Orders'), at(4, plain(2), sheet='Orders')])
csv('status-cancelled.csv', cells([row(0, Status='Active'), row(1, Status='CANCELLED'), row(2, Status='')], [*HEAD, 'Status']), 'a status column that says that one row is cancelled', [at(2, plain(0)), at(3, 'back', {'sends': {'insuredName': 'Peter Nnamdi'}, 'told': ['*']}), at(4, plain(2))])

# --- text ----------------------------------------------------------------------------------------------------------------------------------------
csv('text-old-mac.csv', cells([row(0, Insured_Name='José Peña'), row(1, Insured_Name='Zoë Müller')], HEAD), 'a file of an old Mac', [at(2, 'back', sends(insuredName='José Peña')), at(3, 'back', sends(insuredName='Zoë Müller'))], encoding='mac_roman', end='\r')
csv('text-windows.csv', cells([row(0, Insured_Name='José Peña'), row(1, Insured_Name='Zoë Müller')], HEAD), 'the same of a Windows machine', [at(2, sends(insuredName='José Peña')), at(3, sends(insuredName='Zoë Müller'))], encoding='cp1252')
text = ''.join(','.join(line) + '\r\n' for line in cells([row(0), row(1)], HEAD)).replace('HO-7000', '="0012345"')
(ROOT / 'text-formula-number.csv').write_text(text, 'utf8', newline='')
EXPECTED['text-formula-number.csv'] = {'what': 'a number that is kept from Excel', 'notes': [], 'rows': [at(2, {'sends': {'policyNumber': '0012345'}, 'told': ['policyNumber']}), at(3, plain(1))]}
csv('text-note-of-lines.csv', cells([row(0, Note='Gate code 4410\ncall first\n\nbeware of "Rex"'), row(1, Note='  ')], [*HEAD, 'Note']), 'a note of several lines', [at(2, plain(0, note='Gate code 4410\ncall first\n\nbeware of "Rex"')), at(3, plain(1, note=None))])
csv('text-mangled-numbers.csv', cells([row(0, Policy_Number='5-Mar'), row(1, Policy_Number='1.23457E+11'), row(2, Policy_Number='#N/A'), row(3, Policy_Number='May-21')], HEAD), 'policy numbers that Excel has changed', [at(2 + n, 'back') for n in range(4)])

# --- rows that could be orders -------------------------------------------------------------------------------------------------------------------
workbook, sheet = book(cells([row(0)], HEAD))
extra = workbook.create_sheet('More')
extra.append(list(row(1).values()))
extra.append(list(row(2).values()))
save(workbook, 'sheet-without-header.xlsx', 'a second sheet that goes on without a header', [at(2, plain(0), sheet='Orders'), at(1, 'back', sheet='More'), at(2, 'back', sheet='More')])
csv('row-under-unknown.csv', cells([row(0, Remarks_2='x'), {'Remarks 2': '118 Oak Ridge Ln Tampa 4-Point for Mrs. Holloway please'}, row(2)], [*HEAD, 'Remarks 2']), 'a row whose text stands under an unknown header only', [at(2, plain(0)), at(3, 'back'), at(4, plain(2))])
table = cells([row(0), row(1)], HEAD)
csv('footer.csv', [*table[:2], ['COMMERCIAL'], *table[2:], [], ['Prepared by: Dana Whitlock, 10/14/2026'], ['Page 1 of 1']], 'a line of a group, and a footer', [at(2, plain(0)), at(3, 'left', 'back'), at(4, plain(1)), at(6, 'left', 'back'), at(7, 'left', 'back')])
twice = [*HEAD[:9], 'Insured Phone', *HEAD[9:]]
table = cells([row(0), row(1)], HEAD)
csv('column-twice.csv', [[*line[:9], 'Insured Phone' if n == 0 else '', *line[9:]] for n, line in enumerate(table)], 'a blank column of the same name beside the filled one', [at(2, plain(0)), at(3, plain(1))])
workbook, sheet = book(cells([row(0), row(1)], HEAD))
workbook.create_sheet('Module1').sheet_state = 'veryHidden'
workbook.save(ROOT / 'tmp.xlsx')
with zipfile.ZipFile(ROOT / 'tmp.xlsx') as source, zipfile.ZipFile(ROOT / 'module-sheet.xlsx', 'w', zipfile.ZIP_DEFLATED) as made:
    for entry in source.namelist():
        data = source.read(entry)
        if entry == 'xl/workbook.xml':
            before = data
            data = data.replace(b'r:id="rId2"', b'r:id=""').replace(b'id="rId2"', b'id=""')
            assert data != before
        made.writestr(entry, data)
(ROOT / 'tmp.xlsx').unlink()
EXPECTED['module-sheet.xlsx'] = {'what': 'a macro module that stands among the sheets', 'notes': [], 'rows': [at(2, plain(0), sheet='Orders'), at(3, plain(1), sheet='Orders')]}
csv('service-two.csv', column('Service', ['4-Point / Roof Only', 'HO3', '4 point', 'Exterior']), 'services that are none, or two', [at(2, 'back'), at(3, 'back'), at(4, 'back', sends(serviceName='4-Point')), at(5, sends(serviceName='Exterior'))])

(ROOT / 'expected.json').write_text(json.dumps(EXPECTED, ensure_ascii=False, indent=1) + '\n', 'utf8')
print(len(EXPECTED))
