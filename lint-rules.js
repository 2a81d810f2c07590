/** Rules of the house that no published rule covers. Loaded by oxlint as a plugin. */

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

const plugin = { meta: { name: 'house' }, rules: { 'no-hidden-clock': noHiddenClock, 'no-replacement-pattern': noReplacementPattern } };
// oxlint takes a plugin from a default export, the one place where the house has one.
export default plugin;
