/** Project rules that no published rule covers. Loaded by oxlint as a plugin. */

/** `new Date()` without an argument reads the machine's clock, as `Date.now()` does. */
const noHiddenClock = {
  create(context) {
    return {
      NewExpression(node) {
        if (node.callee.type === 'Identifier' && node.callee.name === 'Date' && node.arguments.length === 0) {
          context.report({ node, message: 'new Date() reads a hidden clock: take a Clock (src/domain/ports.ts), or the simulation cannot move time.' });
        }
      },
    };
  },
};

/**
 * `$&`, `$'` and their kin in a replacement are expanded after whatever escaped the text: what was harmless becomes markup again. A function's
 * result is taken as it is.
 */
const noReplacementPattern = {
  create(context) {
    return {
      CallExpression({ callee, arguments: [, replacement] }) {
        if (callee.type !== 'MemberExpression' || !['replace', 'replaceAll'].includes(callee.property.name) || replacement === undefined) return;
        const quasi = replacement.type === 'TaggedTemplateExpression' ? replacement.quasi : replacement;
        const text = quasi.type === 'TemplateLiteral' && quasi.expressions.length === 0 ? quasi.quasis[0].value.raw : replacement.value;
        const isFunction = replacement.type === 'ArrowFunctionExpression' || replacement.type === 'FunctionExpression';
        if (!isFunction && (typeof text !== 'string' || text.includes('$'))) {
          context.report({ node: replacement, message: 'A replacement that is not a plain literal expands $&, $\' and $1 in what it is given: replace by a function.' });
        }
      },
    };
  },
};

/** The rooms that a room may import, and why no others (docs/architecture.md). A room that is missing here may import none. */
const ROOMS = {
  contract: { may: [], because: 'it is the service’s document and nothing else: client and sandbox both depend on it.' },
  domain: { may: ['contract'], because: 'the types and rules that rooms share must not depend on any room.' },
  sandbox: { may: ['contract'], because: 'two implementations of one document must be able to disagree.' },
  service: { may: ['contract', 'domain'], because: 'integrators import the client on its own: it knows nothing of files, ledger or runs.' },
  ledger: { may: ['contract', 'domain'], because: 'it stores records: it must not know its callers, or the database could not be replaced.' },
  intake: { may: ['contract', 'domain'], because: 'it turns files into rows: submit/ decides about the rows.' },
  results: { may: ['contract', 'domain', 'ops'], because: 'it writes workbooks and pages from plain data, and takes from ops/ how a file is written: it must not reach for the ledger or the service.' },
  'results/deliver': { may: ['contract', 'domain', 'ledger', 'ops', 'results'], because: 'it delivers records: it does not order and does not ask the service.' },
  ops: { may: ['contract', 'domain'], because: 'it touches the machine (clock, files, environment): it knows nothing of orders.' },
  submit: { may: ['contract', 'domain', 'intake', 'ledger', 'ops', 'service'], because: 'submit/ and collect/ never import each other, nor the rooms that write for people.' },
  collect: { may: ['contract', 'domain', 'ledger', 'ops', 'service'], because: 'submit/ and collect/ never import each other, nor the rooms that write for people.' },
  update: { may: ['contract', 'domain', 'intake', 'ledger', 'ops', 'service', 'submit'], because: 'it changes projects that exist: it neither orders nor collects; of submit/ it takes the comparison of an order with a project, so that both judge alike.' },
  notify: { may: ['domain', 'ledger', 'ops'], because: 'it reports the result of a run: it must not take part in one.' },
  fleet: { may: ['domain', 'ledger', 'ops'], because: 'it spreads the work over hosts: other rooms define the work.' },
  upkeep: { may: ['collect', 'contract', 'domain', 'intake', 'ledger', 'ops', 'results/deliver', 'service', 'submit'], because: 'it counts, recovers and prunes the records of other rooms; it sends nothing and knows no run.' },
  night: { may: ['collect', 'contract', 'domain', 'fleet', 'intake', 'ledger', 'notify', 'ops', 'results', 'results/deliver', 'sandbox', 'service', 'submit', 'update', 'upkeep'], because: 'it is a run, from opening the workspace to reporting its end; cli/ calls it and prints the result.' },
  cli: { may: null, because: '' },
};

/** A folder of `src/`; `results/deliver` is a room of its own, since what renders must not reach for the ledger. */
const roomOf = (path) => /\/src\/(results\/deliver|[a-z]+)\//.exec(path.replaceAll('\\', '/'))?.[1];

const rooms = {
  create(context) {
    const own = roomOf(context.filename);
    if (own === undefined) return {};
    const room = ROOMS[own] ?? { may: [], because: 'lint-rules.js does not know it yet.' };
    const check = ({ source }) => {
      if (room.may === null || !source?.value.startsWith('.')) return;
      const path = new URL(source.value, `file://${context.filename}`).pathname;
      const other = roomOf(path);
      if (other !== undefined && other !== own && !room.may.includes(other)) context.report({ node: source, message: `${own}/ does not import ${other}/: ${room.because}` });
      if (!['fleet', 'ledger', 'night', 'upkeep'].includes(own) && /[/]ledger[/](?:(?:sqlite-|postgres-)?driver|ledger-file|open-ledger)[.]ts$/.test(path)) context.report({ node: source, message: 'Only cli/, fleet/, night/ and upkeep/ open a database: here it is the interface Ledger.' });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check, ImportExpression: check };
  },
};

const plugin = { meta: { name: 'house' }, rules: { 'no-hidden-clock': noHiddenClock, 'no-replacement-pattern': noReplacementPattern, rooms } };
// oxlint takes a plugin from a default export, the one place where the house has one.
export default plugin;
