"""What the corpus's Python scripts share: the orders, headers in several manners, and the writing of files with their expectations."""
import datetime
import json
import pathlib

CORPUS = pathlib.Path(__file__).resolve().parents[2] / 'test' / 'corpus'
FILES = CORPUS / 'files'
EXPECTED = CORPUS / 'expected'
ORDERS = json.loads((CORPUS / 'orders.json').read_text('utf8'))
NAMES = list(ORDERS)
FIELDS = list(ORDERS['Vega'])
REQUIRED = ['serviceName', 'policyType', 'houseType', 'streetAddress', 'city', 'state', 'zipcode', 'insuredName', 'insuredPhone', 'insuredEmail']
KEYED = ['policyNumber', *REQUIRED]
DATES = ['policyEffectiveDate', 'dueDate']

TITLES = {
    'inspectionNumber': 'Inspection number', 'policyNumber': 'Policy number', 'policyEffectiveDate': 'Policy effective date', 'insuredBy': 'Insurance company',
    'division': 'Division', 'serviceName': 'Service', 'policyType': 'Policy type', 'houseType': 'House type', 'streetAddress': 'Street address', 'city': 'City',
    'state': 'State', 'zipcode': 'ZIP code', 'country': 'Country', 'insuredName': 'Insured name', 'insuredPhone': 'Insured phone', 'insuredEmail': 'Insured email',
    'dueDate': 'Due date', 'yearBuilt': 'Year built', 'carrierProvidedLivingArea': 'Living area (sq ft)', 'dwellingCoverage': 'Dwelling coverage (Cov A)',
    'otherStructureCoverage': 'Other structures coverage (Cov B)', 'contentCoverage': 'Contents coverage (Cov C)', 'isRenewal': 'Renewal',
    'supplementalServices': 'Supplemental services', 'agentName': 'Agent name', 'agentPhone': 'Agent phone', 'agentEmail': 'Agent email', 'note': 'Note',
}
AGENCY = {
    **TITLES, 'inspectionNumber': 'ORDER #', 'policyNumber': 'Policy No.', 'policyEffectiveDate': 'Eff. Date', 'insuredBy': 'CARRIER', 'serviceName': 'Inspection Type',
    'policyType': 'LOB', 'houseType': 'Dwelling type', 'streetAddress': 'Risk Address', 'zipcode': 'Zip', 'state': 'ST', 'insuredName': 'Named Insured',
    'insuredPhone': 'insured_phone_number', 'insuredEmail': 'Insured E-Mail', 'dueDate': 'Needed By', 'yearBuilt': 'Yr. Built', 'carrierProvidedLivingArea': 'Sq. Ft.',
    'dwellingCoverage': 'Cov A', 'otherStructureCoverage': 'Cov B', 'contentCoverage': 'Cov C', 'isRenewal': 'New/Renewal', 'note': 'Special Instructions',
}
API = {field: field for field in FIELDS}


def order(name, fields=None, **changes):
    """One order's values by field, in the fields' order; those it lacks, and those changed to None, are left out."""
    held = {**ORDERS[name], **changes}
    return {field: held[field] for field in (fields or FIELDS) if held.get(field) is not None}


def written(field, value, typed):
    """What a person types for a value: typed cells hold numbers and dates, text cells what these look like."""
    if value is None:
        return None if typed else ''
    if isinstance(value, bool):
        return 'Yes' if value else 'No'
    if isinstance(value, list):
        return ', '.join(value)
    if typed and field in DATES and isinstance(value, str) and len(value) == 10:
        return datetime.date.fromisoformat(value)
    return value if typed else str(value)


def table(names=None, fields=None, headers=TITLES, typed=True):
    """A header row and a row for each order."""
    fields = fields or FIELDS
    rows = [[headers[field] for field in fields]]
    for name in names or NAMES:
        rows.append([written(field, ORDERS[name].get(field), typed) for field in fields])
    return rows


def letters(index):
    text = ''
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(65 + rest) + text
    return text


def sure(names=None, first=2, sheet='Orders', **more):
    """The rows expected where every order of a table comes back as it was put in. `sheet=None`: a text table."""
    return [{'at': at(first + place, sheet), 'is': name, **more} for place, name in enumerate(names or NAMES)]


def at(row, sheet='Orders'):
    return str(row) if sheet is None else f'{sheet} {row}'


def path(name):
    FILES.mkdir(parents=True, exist_ok=True)
    return FILES / name


def expect(name, *, what, made, rows=None, fields=None, notes=(), unreadable=None):
    """Writes what a person would expect of a file. `fields`: the fields that have a column; left out where all have."""
    lines = [f'  "what": {dump(what)}', f'  "made": {dump(made)}']
    if unreadable is not None:
        lines.append(f'  "unreadable": {dump(unreadable)}')
    else:
        if fields is not None:
            lines.append(f'  "fields": {dump(fields)}')
        lines.append('  "rows": ' + listed(rows or []))
        if notes:
            lines.append('  "notes": ' + listed(notes))
    EXPECTED.mkdir(parents=True, exist_ok=True)
    (EXPECTED / f'{name}.json').write_text('{\n' + ',\n'.join(lines) + '\n}\n', 'utf8')
    assert path(name).exists(), name


def listed(items):
    return '[\n' + ',\n'.join(f'    {dump(item)}' for item in items) + '\n  ]' if items else '[]'


def dump(value):
    return json.dumps(value, ensure_ascii=False)
