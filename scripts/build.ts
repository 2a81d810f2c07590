/**
 * Builds dist/: the man page, the declarations of what src/index.ts exports, and the code of src/ bundled with the small packages that nearly every command loads. To read some 300 files
 * took a command two thirds of its start (docs/decisions/0011). Built next to its place and renamed: a build that fails leaves the last one whole.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { parse } from 'yaml';
import { buildProgram } from '../src/cli/commands.ts';
import { manPage } from './man-page.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const building = join(root, 'dist.building');
const old = join(root, 'dist.old');
const viewer = new URL('.', import.meta.resolve('swagger-ui-dist/package.json'));

/** What bundling made. */
interface Bundle {
  /** The folders of the packages that are in it. */
  readonly packages: readonly string[];
  /** The names that an entry exports, by its name. */
  readonly exported: ReadonlyMap<string, readonly string[]>;
}

/** Packages that go into the bundle, with all they need themselves. The others are large, native, read files beside their own, or are loaded by few commands. */
const BUNDLED: ReadonlySet<string> = new Set([
  'commander',
  'csv-parse',
  'date-fns',
  'got',
  'numfmt',
  'p-limit',
  'yaml',
  'zod',
]);

const { dependencies, engines, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly version: string;
};
const external = Object.keys(dependencies).filter((name) => !BUNDLED.has(name));

/** Imported as a module, node:http gives all its names at once, and to give `WebSocket` Node loads a client that nobody here uses: 60 ms of each start. */
const httpByName: Plugin = {
  name: 'http by name',
  resolveId: { filter: { id: /^node:http$/ }, handler: (id) => `\0${id}` },
  load: {
    filter: { id: /^\0node:http$/ },
    handler: () => {
      const names = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, property]) =>
        'value' in property ? [name] : [],
      );
      return `const http = process.getBuiltinModule('node:http');\nexport default http;\nexport const { ${names.join(', ')} } = http;\n`;
    },
  },
};

/** The modules stand beside `migrations/`, which the ledger looks for there. */
async function bundle(): Promise<Bundle> {
  await using build = await rolldown({
    input: {
      library: join(root, 'src/index.ts'),
      'client-library': join(root, 'src/client.ts'),
      main: join(root, 'src/cli/main.ts'),
      'file-worker': join(root, 'src/night/file-worker.ts'),
    },
    platform: 'node',
    external: [/^node:(?!http$)/, ...external.map((name) => new RegExp(`^${name}(/|$)`))],
    checks: { pluginTimings: false },
    plugins: [httpByName],
  });
  const { output } = await build.write({
    dir: building,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
  return {
    packages: [
      ...new Set(modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])),
    ].toSorted(),
    exported: new Map(
      output.flatMap((file) =>
        file.type === 'chunk' && file.isEntry ? [[file.name, file.exports.toSorted()] as const] : [],
      ),
    ),
  };
}

/**
 * What `import 'inspection-batch'` and `'inspection-batch/client'` load: an older Node does not know the syntax of the library, nor some of its modules, and would say so in words that help
 * nobody. So the version is looked at before the library is.
 */
function entry(names: readonly string[], library: string): string {
  const oldest = /\d+/.exec(engines.node)?.[0] ?? '';
  return `import { createRequire } from 'node:module';

if (Number(process.versions.node.split('.')[0]) < ${oldest}) {
  throw new Error('inspection-batch needs Node.js ${oldest} or newer; this is ' + process.versions.node + '. Install Node.js ${oldest}, or run your program with it.');
}
export const {
${names.map((name) => `  ${name},\n`).join('')}} = createRequire(import.meta.url)('./${library}.js');
`;
}

/** Their licences ask for it: name, version and licence text of each package that was bundled. */
function licencesOf(folders: readonly string[]): string {
  const notices = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Readonly<
      Record<string, string>
    >;
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${String(name)} ${String(version)} (${String(license)})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `inspection-batch contains these packages.\n\n${notices.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

for (const leftover of [building, old]) rmSync(leftover, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json'), '--outDir', building],
  { stdio: 'inherit' },
);
const { packages, exported } = await bundle();
writeFileSync(join(building, 'LICENSES.txt'), licencesOf([...packages, fileURLToPath(viewer)]));
for (const [file, library] of [
  ['index.js', 'library'],
  ['client.js', 'client-library'],
] as const)
  writeFileSync(join(building, file), entry(exported.get(library) ?? [], library));
writeFileSync(
  join(building, 'inspection-batch.1'),
  manPage(
    buildProgram(async () => {}, version),
    version,
    root,
  ),
);
// The OpenAPI document is parsed as YAML, with its words filled in.
for (const folder of ['vocabulary', 'sandbox', 'page', 'workbook', 'cli', 'messages']) {
  const from = join(root, 'templates', folder);
  mkdirSync(join(building, folder), { recursive: true });
  for (const file of readdirSync(from).filter((name) => name.endsWith('.yaml') && name !== 'openapi.yaml')) {
    const data: unknown = parse(readFileSync(join(from, file), 'utf8'));
    writeFileSync(join(building, folder, `${basename(file, '.yaml')}.json`), JSON.stringify(data));
  }
}
// docs/decisions/0022: two files of the viewer, so that who installs this package needs no other for it.
for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
  cpSync(new URL(file, viewer), join(building, 'swagger-ui', file));
cpSync(join(root, 'src/ledger/migrations'), join(building, 'migrations'), { recursive: true });
if (existsSync(dist)) renameSync(dist, old);
renameSync(building, dist);
rmSync(old, { recursive: true, force: true });
