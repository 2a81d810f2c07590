/**
 * Takes the pictures in docs/ again, from a fresh demo: `npm run build && npx node scripts/screenshots.ts [demo workspace]`. It needs LibreOffice,
 * poppler and Chromium.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import sharp from 'sharp';

const ROOT = join(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs');
const BACKGROUND = '#ffffff';

function run(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: 'ignore' });
}

/** Without empty margins, in few colors. */
async function savePicture(from: string, name: string): Promise<void> {
  await sharp(from)
    .trim({ background: BACKGROUND })
    .extend({ top: 12, bottom: 12, left: 12, right: 12, background: BACKGROUND })
    .png({ palette: true, colors: 64, compressionLevel: 9 })
    .toFile(join(DOCS, name));
}

/** A sheet (by default the first), as LibreOffice prints its first page: the footer has its name. */
async function pictureOfWorkbook(workbook: string, folder: string, name: string, sheet = ''): Promise<void> {
  run('soffice', ['--headless', '--convert-to', 'pdf', '--outdir', folder, workbook], folder);
  const pdf = `${parse(workbook).name}.pdf`;
  const texts = execFileSync('pdftotext', ['-layout', pdf, '-'], { cwd: folder, encoding: 'utf8' }).split('\f');
  const page = texts.findIndex((text) => text.trimEnd().split('\n').at(-1)?.trimStart().startsWith(sheet)) + 1;
  run('pdftoppm', ['-r', '140', '-f', String(page), '-singlefile', '-png', pdf, 'page'], folder);
  await savePicture(join(folder, 'page.png'), name);
}

/** The first screen, 1,200 pixels wide. */
async function pictureOfPage(page: string, folder: string, name: string): Promise<void> {
  const picture = join(folder, 'screen.png');
  const flags = ['--headless', '--no-sandbox', '--hide-scrollbars', '--window-size=1200,800'];
  run(
    'chromium',
    [...flags, `--user-data-dir=${folder}/chromium`, `--screenshot=${picture}`, `file://${page}`],
    folder,
  );
  await savePicture(picture, name);
}

const folder = mkdtempSync(join(tmpdir(), 'screenshots-'));
try {
  const workspace = process.argv[2] ?? join(folder, 'demo');
  if (process.argv[2] === undefined)
    run(join(ROOT, 'bin/inspection-batch'), ['demo', '--workspace', workspace], folder);
  const corrections = globSync(join(workspace, 'corrections/**/01-filled-template - to fix.xlsx'));
  const pages = globSync(join(workspace, 'deliveries/*/report.html')).toSorted();
  await pictureOfWorkbook(corrections[0] ?? '', folder, 'corrections-workbook.png');
  await pictureOfWorkbook(join(dirname(pages.at(-1) ?? ''), 'results.xlsx'), folder, 'results-workbook.png', 'Roofs');
  await pictureOfPage(pages.at(-1) ?? '', folder, 'report-page.png');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
