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

const plugin = { meta: { name: 'house' }, rules: { 'no-hidden-clock': noHiddenClock } };
// oxlint takes a plugin from a default export, the one place where the house has one.
export default plugin;
