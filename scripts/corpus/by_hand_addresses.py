"""Tables whose columns say more than one thing, or less than one: addresses, units, groups, merged cells. Made byte by byte."""
import zipfile

from corpus import KEYED, ORDERS, TITLES, expect, path

MADE = 'by hand (scripts/corpus/by_hand_addresses.py)'
REST = [field for field in KEYED if field not in ('streetAddress', 'city', 'state', 'zipcode')]
HOME = ['118 Oak Ridge Ln', 'Tampa', 'FL', '33609']
OTHER = ['9 Elm St', 'Orlando', 'FL', '32801']
AT_OTHER = {'streetAddress': '9 Elm St', 'city': 'Orlando', 'zipcode': '32801'}
ADDRESS = ['Address', 'City', 'State', 'Zip']


def quote(text):
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n') else text


def rows_of(headers, *rows):
    """The other columns of Vega's order, and behind them those of the test."""
    rest = [ORDERS['Vega'][field] for field in REST]
    return [[*[TITLES[field] for field in REST], *headers], *[[*rest, *row] for row in rows]]


def write(name, what, headers, *rows, notes=()):
    """`rows`: the cells, and what a clerk would expect of them: None where it is Vega's order as it is."""
    table = rows_of(headers, *[cells for cells, _ in rows])
    path(name).write_text('\r\n'.join(','.join(quote(cell) for cell in row) for row in table) + '\r\n', 'utf8')
    expected = [{'at': str(at), **({'is': 'Vega', **more} if 'problems' not in more else more)} for at, more in enumerate((more or {} for _, more in rows), 2)]
    expect(name, what=what, made=MADE, fields=KEYED, rows=expected, notes=notes)


FIRST = len(REST)


def cell(column, row):
    return f'{chr(65 + FIRST + column)}{row}'


def two(row, column):
    return {'problems': [f'two-addresses in {cell(column, row)}']}


def whole(text, street='9 Elm St', city='Orlando', zipcode='32801'):
    return {'with': {'streetAddress': street, 'city': city, 'zipcode': zipcode}, 'repairs': {'streetAddress': f'{text} -> {street}', 'city': f'{text} -> {city}', 'state': f'{text} -> FL', 'zipcode': f'{text} -> {zipcode}'}}


ELM = '9 Elm St, Orlando, FL 32801'
for name, header in [('location-1', 'Location 1 Address'), ('property-location', 'Property Location'), ('physical-if-different', 'Physical Location (if different)'), ('risk-location', 'Risk Location'), ('loc-addr', 'Loc Addr'), ('site-address', 'Site address')]:
    write(f'csv-second-{name}.csv', f'an address, and beside it {header}: blank, the same, another street, another house', [*ADDRESS, header],
          ([*HOME, ''], None), ([*HOME, 'Same'], None), ([*HOME, '118 Oak Ridge Lane'], None), ([*HOME, '9 Elm St'], two(5, 4)), ([*HOME, ELM], whole(ELM)))
write('csv-second-dwelling-if-not-the-same.csv', 'an address, and beside it Dwelling Location (if not the same)', [*ADDRESS, 'Dwelling Location (if not the same)'],
      ([*HOME, ''], None), ([*HOME, 'n/a'], None), ([*HOME, '118 Oak Ridge Lane'], None), ([*HOME, '9 Elm St'], two(5, 4)), ([*HOME, ELM], whole(ELM)))
write('csv-second-alternate-address.csv', 'another address that nothing says is the property’s', [*ADDRESS, 'Alternate address'], ([*HOME, ''], None), ([*HOME, ELM], two(3, 0)))
write('csv-second-insured.csv', 'a second insured beside the street, who is no part of it', ['Address', 'Insured 2', 'City', 'State', 'Zip', 'Owner 2'],
      ([HOME[0], 'Juan Vega', *HOME[1:], 'Ann Lee'], None), ([HOME[0], '', *HOME[1:], ''], None), notes=['an order names one insured'])
write('csv-two-houses-in-a-cell.csv', 'two houses in one cell go back; two numbers or two units of one are asked about', ADDRESS,
      *[([held, *HOME[1:]], {'problems': [f'street-two-houses in {cell(0, at)}']}) for at, held in enumerate(['12 Main St, Tampa, FL 33609; 14 Main St, Tampa, FL 33609', '12 Main St\n14 Main St', '12 Main St and 9 Elm Ave', '12 Main St / 14 Main St'], 2)],
      *[([held, *HOME[1:]], {'with': {'streetAddress': held}, 'warnings': ['street-two-houses']}) for held in ['12 & 14 Main St', '12 Main St, Units 4 and 5']],
      *[([held, *HOME[1:]], {'with': {'streetAddress': held}}) for held in ['12-14 Main St', '100 Main St & 5th Ave']])
write('csv-units-that-are-none.csv', 'a unit in the street and another beside it, and units that are none', ['Address', 'Unit', 'City', 'State', 'Zip'],
      (['118 Oak Ridge Ln Unit 4', '5', *HOME[1:]], {'problems': [f'columns-disagree in {cell(0, 2)}']}), (['118 Oak Ridge Ln Unit 4', 'Apt 4', *HOME[1:]], {'with': {'streetAddress': '118 Oak Ridge Ln Unit 4'}}),
      *[([HOME[0], held, *HOME[1:]], {'problems': [f'unit-not-certain in {cell(1, at)}']}) for at, held in enumerate(['Owner occupied', '0'], 4)],
      ([HOME[0], 'none', *HOME[1:]], None), ([HOME[0], 'Rear', *HOME[1:]], {'with': {'streetAddress': '118 Oak Ridge Ln, Unit Rear'}, 'repairs': {'streetAddress': '118 Oak Ridge Ln -> 118 Oak Ridge Ln, Unit Rear'}}))
write('csv-streets-of-several-houses.csv', 'streets that say that there are several houses', ADDRESS,
      *[([held, *HOME[1:]], {'problems': [f'value-elsewhere in {cell(0, at)}']}) for at, held in enumerate(['Various (3 buildings)', '3 locations', 'SOV attached', 'See attached schedule'], 2)],
      (['TBD', *HOME[1:]], {'problems': [f'required-placeholder in {cell(0, 6)}']}))
CITIES = [('Washington', 'D.C.', '20001', 'DC'), ('Washington', 'District of Columbia', '20001', 'DC'), ('Delaware', 'Ohio', '43015', 'OH'), ('Nevada', 'Missouri', '64772', 'MO'), ('Kansas', 'Oklahoma', '74347', 'OK'), ('New York', 'New York', '10001', 'NY'), ('California', 'MD', '20619', 'MD')]
write('csv-cities-named-like-states.csv', 'cities that are named like a state, with the state written out', ADDRESS,
      *[([HOME[0], city, state, zipcode], {'with': {'city': city, 'state': code, 'zipcode': zipcode}, **({} if state == code else {'repairs': {'state': f'{state} -> {code}'}})}) for city, state, zipcode, code in CITIES])
write('csv-location-numbers.csv', 'a column Location that numbers the locations', [*ADDRESS, 'Location'], ([*HOME, '1'], None), ([*HOME, 'Loc 2'], None), ([*HOME, '9 Elm St'], two(4, 4)))
write('csv-premises.csv', 'premises that are numbers, or another house', [*ADDRESS, 'Premises'], ([*HOME, '001'], None), ([*HOME, '9 Elm St'], two(3, 4)))
write('csv-mailing-then-location.csv', 'the city behind the mailing address is the mailing address’s', ['Mailing Address', 'City', 'State', 'Zip', 'Location'],
      ([*HOME, '9 Elm St'], two(2, 4)), ([*HOME, ELM], whole(ELM)), ([*HOME, 'Same as mailing'], {'warnings': ['mailing-address-ordered']}))
write('csv-location-then-mailing.csv', 'a location without a city of its own in front of the mailing address', ['Location', 'Mailing Address', 'City', 'State', 'Zip'], (['9 Elm St', *HOME], two(2, 0)), (['118 Oak Ridge Ln', *HOME], None))
write('csv-risk-whole.csv', 'the insured’s own address, and the risk’s with city, state and ZIP code', ['Insured Address', 'Insured City', 'Insured State', 'Insured Zip', 'Risk Address', 'Risk City', 'Risk State', 'Risk Zip'],
      ([*OTHER, *HOME], None), ([*HOME, 'same', '', '', ''], None), ([*OTHER, '118 Oak Ridge Ln', '', '', ''], two(4, 4)))
write('csv-two-locations.csv', 'two locations in a row, as schedules have them', [f'Location {n} {part}' for n in (1, 2) for part in ('Address', 'City', 'State', 'Zip')], ([*HOME, '', '', '', ''], None), ([*HOME, *OTHER], two(3, 0)))
write('csv-home-address.csv', 'whose home address it is, nobody says', ['Home Address', 'City', 'State', 'Zip', 'Loss Location'], ([*HOME, '9 Elm St'], two(2, 4)))
write('csv-agency-address.csv', 'the agency has an address as well', [*ADDRESS, 'Agency Address', 'City', 'State', 'Zip'], ([*HOME, *OTHER], None))
write('csv-street-in-parts.csv', 'house number, direction, street', ['House #', 'Street Direction', 'Street', 'City', 'State', 'Zip'],
      (['118', '', *HOME], None), (['118', 'N', 'Oak Ridge Ln', *HOME[1:]], {'with': {'streetAddress': '118 N Oak Ridge Ln'}, 'repairs': {'streetAddress': 'Oak Ridge Ln -> 118 N Oak Ridge Ln'}}), (['9', '', *HOME], {'problems': [f'columns-disagree in {cell(2, 4)}']}))
write('csv-street-in-all-parts.csv', 'number, direction, name, type and unit', ['Street No', 'Pre Dir', 'Street Name', 'Street Type', 'Unit Type', 'Unit #', 'City', 'State', 'Zip'],
      (['118', 'N', 'Oak Ridge', 'Ln', 'Apt', '4', *HOME[1:]], {'with': {'streetAddress': '118 N Oak Ridge Ln, Apt 4'}, 'repairs': {'streetAddress': 'Oak Ridge -> 118 N Oak Ridge Ln, Apt 4'}}))
write('csv-building-and-unit.csv', 'a building and a unit beside the street', ['Address', 'Building', 'Unit', 'City', 'State', 'Zip'],
      (['118 Oak Ridge Ln', 'B', '4', *HOME[1:]], {'with': {'streetAddress': '118 Oak Ridge Ln, Bldg B, Unit 4'}, 'repairs': {'streetAddress': '118 Oak Ridge Ln -> 118 Oak Ridge Ln, Bldg B, Unit 4'}}), (['118 Oak Ridge Ln', '', '', *HOME[1:]], None))
write('csv-unit-at-the-end.csv', 'a unit far from its street', [*ADDRESS, 'Unit'], ([*HOME, '4B'], {'with': {'streetAddress': '118 Oak Ridge Ln, Unit 4B'}, 'repairs': {'streetAddress': '118 Oak Ridge Ln -> 118 Oak Ridge Ln, Unit 4B'}}))
write('csv-unit-of-nobody.csv', 'a unit behind two addresses', ['Property Address', 'City', 'State', 'Zip', 'Mailing Address', 'Mailing City', 'Mailing State', 'Mailing Zip', 'Unit'], ([*HOME, *OTHER, '4B'], {'problems': [f'unit-not-certain in {cell(8, 2)}']}), ([*HOME, *OTHER, ''], None))
write('csv-second-line-is-a-street.csv', 'a second line that is another street, or city and state', ['Address 1', 'Address 2', 'City', 'State', 'Zip'],
      (['118 Oak Ridge Ln', '9 Elm St', *HOME[1:]], {'problems': [f'columns-disagree in {cell(0, 2)}']}), (['118 Oak Ridge Ln', 'Apt 4', *HOME[1:]], {'with': {'streetAddress': '118 Oak Ridge Ln, Apt 4'}, 'repairs': {'streetAddress': '118 Oak Ridge Ln -> 118 Oak Ridge Ln, Apt 4'}}))
write('csv-zip-and-four.csv', 'the last four digits of a ZIP code in a column of their own', [*ADDRESS, 'Zip+4'], ([*HOME, '1204'], None), ([*HOME, ''], None))
ONE = '118 Oak Ridge Ln, Tampa, FL 33609'
UNIT = '118 Oak Ridge Ln, Unit 4, Tampa, FL 33609-1204'
write('csv-one-cell-address.csv', 'the whole address in one cell, with commas and without', ['Property Address'], ([ONE], whole(ONE, *[HOME[0], HOME[1], HOME[3]])), ([UNIT], whole(UNIT, '118 Oak Ridge Ln, Unit 4', 'Tampa', '33609-1204')),
      (['118 Oak Ridge Ln Tampa FL 33609'], {'problems': [f'address-not-split in {cell(0, 4)}']}), (['118 Oak Ridge Ln, Tampa, TX 33609'], {'problems': [f'address-not-split in {cell(0, 5)}']}))
write('csv-city-state-zip.csv', 'city, state and ZIP code in one cell', ['Address', 'City, State Zip'], (['118 Oak Ridge Ln', 'Tampa, FL 33609'], {'repairs': {field: f'Tampa, FL 33609 -> {text}' for field, text in zip(('city', 'state', 'zipcode'), HOME[1:])}}))
write('csv-city-st.csv', 'city and state in one cell', ['Address', 'City, ST', 'Zip'], (['118 Oak Ridge Ln', 'Tampa, FL', '33609'], {'repairs': {'city': 'Tampa, FL -> Tampa', 'state': 'Tampa, FL -> FL'}}))
write('csv-state-zip.csv', 'state and ZIP code in one cell', ['Address', 'City', 'State/Zip'], (['118 Oak Ridge Ln', 'Tampa', 'FL 33609'], {'repairs': {'state': 'FL 33609 -> FL', 'zipcode': 'FL 33609 -> 33609'}}))
write('csv-state-said-twice.csv', 'states with their letters, and in front of ZIP codes', ADDRESS, (['118 Oak Ridge Ln', 'Tampa', 'Florida (FL)', '33609'], {'repairs': {'state': 'Florida (FL) -> FL'}}),
      (['118 Oak Ridge Ln', 'Tampa', 'FL', 'FL 33609'], {'repairs': {'zipcode': 'FL 33609 -> 33609'}}), (['118 Oak Ridge Ln', 'Tampa', 'FL', 'GA 30301'], {'problems': [f'columns-disagree in {cell(2, 4)}']}))
write('csv-street-with-another-city.csv', 'a street’s cell that holds another city than the row', ADDRESS, (['118 Oak Ridge Ln, Orlando, FL 32801', 'Tampa', 'FL', '33609'], {'problems': [f'columns-disagree in {cell(1, 2)}']}))
write('csv-not-in-dollars.csv', 'percent and euros are no dollars; thousands are multiplied', [*ADDRESS, 'Cov A (€)', 'Cov B %', 'Cov C (000s)'], ([*HOME, '325000', '10', '160'], {'with': {'contentCoverage': 160000}, 'repairs': {'contentCoverage': '160 -> 160000'}}), notes=['"Cov A (€)" is not known', '"Cov B %" is not known'])
write('csv-blank-beside-filled.csv', 'two columns for one field, one of them blank', [*ADDRESS, 'Policyholder phone', 'Risk city'], ([*HOME, '', ''], None), ([*HOME, '813-555-0142', 'TAMPA'], None))


def name_over_two():
    """CSV of a sheet whose header is merged over first and last name."""
    headers = [TITLES[field] for field in KEYED]
    at = KEYED.index('insuredName')
    row = [ORDERS['Vega'][field] for field in KEYED]
    lines = [[*headers[:at + 1], '', *headers[at + 1:]], [*row[:at], 'Marisol', 'Vega', *row[at + 1:]]]
    path('csv-name-under-one-header.csv').write_text('\r\n'.join(','.join(map(quote, line)) for line in lines) + '\r\n', 'utf8')
    expect('csv-name-under-one-header.csv', what='one header over first and last name', made=MADE, fields=KEYED, rows=[{'at': '2', 'is': 'Vega', 'repairs': {'insuredName': 'Marisol -> Marisol Vega'}}])


name_over_two()

MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'


def workbook(name, rows, merged=(), sheets='<sheet name="Orders" sheetId="1" r:id="rId1"/>'):
    """A workbook as small as can be."""
    def escaped(text):
        return text.replace('&', '&amp;').replace('<', '&lt;')
    cells = ''.join(f'<row r="{number}">' + ''.join(f'<c r="{chr(65 + column)}{number}" t="str"><v>{escaped(text)}</v></c>' for column, text in enumerate(row) if text != '') + '</row>' for number, row in enumerate(rows, 1))
    merges = f'<mergeCells count="{len(merged)}">' + ''.join(f'<mergeCell ref="{ref}"/>' for ref in merged) + '</mergeCells>' if merged else ''
    relationships = f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="{OFFICE}/'
    parts = {
        '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        '_rels/.rels': relationships + 'officeDocument" Target="xl/workbook.xml"/></Relationships>',
        'xl/workbook.xml': f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{sheets}</sheets></workbook>',
        'xl/_rels/workbook.xml.rels': relationships + 'worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        'xl/worksheets/sheet1.xml': f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData>{merges}</worksheet>',
    }
    with zipfile.ZipFile(path(name), 'w', zipfile.ZIP_DEFLATED) as pack:
        for part, text in parts.items():
            pack.writestr(zipfile.ZipInfo(part), '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + text)


fields = [*KEYED, 'dwellingCoverage', 'otherStructureCoverage']
values = [str(ORDERS['Vega'][field]) for field in fields]
workbook('hidden-under-a-merge.xlsx', [[TITLES[field] for field in fields], [*values[:-1], '999'], values], ['L2:M2'])
expect('hidden-under-a-merge.xlsx', what='a value that a cell merged to its left hides', made=MADE, fields=fields, rows=[{'at': 'Orders 2', 'problems': ['merged-cell-hides-value in M2']}, {'at': 'Orders 3', 'is': 'Vega'}])

workbook('module-sheets.xlsx', [[TITLES[field] for field in KEYED], [ORDERS['Vega'][field] for field in KEYED]],
         sheets='<sheet name="Module1" sheetId="2" state="veryHidden" r:id=""/><sheet name="Orders" sheetId="1" r:id="rId1"/>')
expect('module-sheets.xlsx', what='a module of an old workbook among its sheets', made=MADE, fields=KEYED, rows=[{'at': 'Orders 2', 'is': 'Vega'}])

policy = ['policyNumber', 'serviceName', 'policyType', 'houseType']
insured = ['insuredPhone', 'insuredEmail']
place = ['streetAddress', 'city', 'state', 'zipcode']
workbook('groups-over-names.xlsx', [
    ['Policy', '', '', '', 'Primary Named Insured', '', '', '', 'Property Information', '', '', ''],
    ['Number', 'Service', 'Policy type', 'House type', 'First', 'Last', 'Phone', 'Email', 'Address', 'City', 'State', 'Zip'],
    [*[ORDERS['Vega'][field] for field in policy], 'Marisol', 'Vega', *[ORDERS['Vega'][field] for field in insured], *[ORDERS['Vega'][field] for field in place]],
], ['A1:D1', 'E1:H1', 'I1:L1'])
expect('groups-over-names.xlsx', what='groups over first and last name, phone and e-mail', made=MADE, fields=KEYED, rows=[{'at': 'Orders 3', 'is': 'Vega', 'repairs': {'insuredName': 'Marisol -> Marisol Vega'}}])
