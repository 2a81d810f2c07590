import type { FastifyInstance } from 'fastify';
import type { NotShown } from '../not-shown.ts';
import { openApiDocument, type OpenApiDocument } from './openapi-document.ts';
import type { Answer, Content, JsonSchema, Method, Operation, Parameter, Reference } from './schemas.ts';

/** One HTML page without scripts or external files. */
function docsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const listed = operationsOf(document);
  const sections = tags.map(({ name, description }) => {
    const own = listed
      .filter(({ operation }) => operation.tags.includes(name))
      .map((entry) => operationSection(entry, document));
    return `<section><h2 id="tag-${name}">${html(name)}</h2>${paragraphs(description)}${own.join('')}</section>`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<article class="schema" id="schema-${name}"><h3>${html(name)}</h3>${schema.description === undefined ? '' : paragraphs(schema.description)}${fieldTable(schema)}</article>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${html(info.title)}</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<nav aria-label="Contents">${contents(document)}</nav>
<main>
<header>
<h1>${html(info.title)} <small>${html(info.version)}</small></h1>
<p class="lead">${html(info.summary)}</p>
${paragraphs(info.description)}
<p><a href="openapi.json">openapi.json</a> is this page for programs.</p>
</header>
<section><h2 id="authentication">Authentication</h2>${authentication(document)}</section>
${sections.join('\n')}
<section><h2 id="errors">Errors</h2>${paragraphs('Every error carries `{ error: { message } }`.')}${errorTable(document)}</section>
<section><h2 id="schemas">Schemas</h2>${schemas.join('\n')}</section>
</main>
</body>
</html>
`;
}

interface ListedOperation {
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
}

function operationsOf({ paths }: OpenApiDocument): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation === undefined ? [] : [{ path, method: method as Method, operation }],
    ),
  );
}

function contents(document: OpenApiDocument): string {
  const groups = document.tags.map(({ name }) => {
    const own = operationsOf(document).filter(({ operation }) => operation.tags.includes(name));
    const links = own.map(
      ({ method, operation }) =>
        `<li><a href="#${operation.operationId}"><b class="${method}">${method.toUpperCase()}</b>${html(operation.summary)}</a></li>`,
    );
    return `<p><a href="#tag-${name}">${html(name)}</a></p><ul>${links.join('')}</ul>`;
  });
  const schemas = Object.keys(document.components.schemas).map(
    (name) => `<li><a href="#schema-${name}">${html(name)}</a></li>`,
  );
  return `<p><a href="#authentication">Authentication</a></p>${groups.join('')}<p><a href="#errors">Errors</a></p><p><a href="#schemas">Schemas</a></p><ul>${schemas.join('')}</ul>`;
}

function authentication({ components }: OpenApiDocument): string {
  const rows = Object.entries(components.securitySchemes).map(([name, { scheme, description }]) =>
    row(html(name), `<code>Authorization: ${scheme === 'basic' ? 'Basic' : 'Bearer'} …</code>`, inline(description)),
  );
  return table(rows, 'class="named"');
}

function errorTable(document: OpenApiDocument): string {
  const statuses = new Map(
    operationsOf(document).flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, answer]) =>
        isReference(answer) ? [[nameOf(answer.$ref), status] as const] : [],
      ),
    ),
  );
  const answered = Object.entries(document.components.responses).filter(([name]) => statuses.has(name));
  const rows = answered.map(
    ([name, answer]) =>
      `<tr id="response-${name}"><th scope="row"><b>${statuses.get(name)}</b> ${html(name)}</th><td>${inline(answer.description)}</td></tr>`,
  );
  return table(rows, 'class="named"');
}

function operationSection({ path, method, operation }: ListedOperation, document: OpenApiDocument): string {
  const {
    operationId,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
    security = document.security,
  } = operation;
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  return `<article class="operation" id="${operationId}">
<h3>${html(summary)}</h3>
<p class="line"><b class="${method}">${method.toUpperCase()}</b> <code>${html(path)}</code> <span class="security">${schemes.map(html).join(', ')}</span></p>
${paragraphs(description)}
${parameters.length === 0 ? '' : `<h4>Parameters</h4>${parameterTable(parameters)}`}
${requestBody === undefined ? '' : `<h4>Request</h4>${contentBlock(requestBody.content, true)}`}
<h4>Answers</h4>
${answers(responses, document)}
</article>`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    row(named(name, required), place, typeWords(schema), inline(describedBy({ ...schema, description }))),
  );
  return table(rows, '', ['Name', 'In', 'Type', 'Meaning']);
}

/** Errors are links to their table. */
function answers(responses: Operation['responses'], document: OpenApiDocument): string {
  const own = Object.entries(responses).flatMap(([status, answer]) =>
    isReference(answer) ? [] : [answerBlock(status, answer)],
  );
  const errors = Object.entries(responses).flatMap(([status, answer]) => {
    if (!isReference(answer)) return [];
    const name = nameOf(answer.$ref);
    return [
      `<a href="#response-${name}" title="${html(document.components.responses[name]?.description ?? '')}">${status}</a>`,
    ];
  });
  return `${own.join('')}<p class="errors">Errors: ${errors.join(' ')}</p>`;
}

function answerBlock(status: string, { description, headers = {}, content }: Answer): string {
  const rows = Object.entries(headers).map(([name, header]) =>
    row(named(name), typeWords(header.schema), inline(header.description)),
  );
  return `<div class="answer"><p><b class="status">${status}</b> ${inline(description)}</p>${rows.length === 0 ? '' : table(rows)}${content === undefined ? '' : contentBlock(content)}</div>`;
}

function contentBlock(content: Content, open = false): string {
  return Object.entries(content)
    .map(([type, { schema, examples = {} }]) => {
      const shown = Object.values(examples).map(
        ({ summary, value }) =>
          `<details${open ? ' open' : ''}><summary>Example: ${html(summary)}</summary><pre>${html(exampleText(type, value))}</pre></details>`,
      );
      return `<p class="content"><code>${html(type)}</code> ${typeWords(schema)}</p>${shown.join('')}`;
    })
    .join('');
}

function exampleText(type: string, value: unknown): string {
  if (type !== 'application/x-www-form-urlencoded') return JSON.stringify(value, null, 2);
  return Object.entries(value as Record<string, string>)
    .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
    .join('&');
}

function fieldTable(schema: JsonSchema): string {
  const rows = fieldRows(schema);
  return rows.length === 0 ? `<p>${typeWords(schema)}</p>` : table(rows, '', ['Field', 'Type', 'Meaning']);
}

/** A row for every field, indented by `depth`, including fields of inner objects and lists of objects. */
function fieldRows(schema: JsonSchema, depth = 0): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    `<tr><th scope="row" style="--depth:${depth}">${named(name, schema.required?.includes(name))}</th><td>${typeWords(field)}</td><td>${inline(describedBy(field))}</td></tr>`,
    ...fieldRows(field, depth + 1),
    ...fieldRows(field.items ?? {}, depth + 1),
  ]);
}

/** All arguments are HTML. */
function table(rows: readonly string[], attributes = '', titles: readonly string[] = []): string {
  const head =
    titles.length === 0 ? '' : `<thead><tr>${titles.map((title) => `<th>${title}</th>`).join('')}</tr></thead>`;
  return `<table${attributes === '' ? '' : ` ${attributes}`}>${head}<tbody>${rows.join('')}</tbody></table>`;
}

function row(title: string, ...cells: readonly string[]): string {
  return `<tr><th scope="row">${title}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function named(name: string, required = false): string {
  return `<code>${html(name)}</code>${required ? ' <em>required</em>' : ''}`;
}

function isReference(answer: Answer | Reference): answer is Reference {
  return '$ref' in answer;
}

/** As HTML: `integer (int64), at least 0`; a schema of `components` is a link. */
function typeWords(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = html(nameOf(schema.$ref));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map(typeWords).join(' or ');
  if (schema.const !== undefined) return `<code>${html(JSON.stringify(schema.const))}</code>`;
  if (schema.items !== undefined) return `list of ${typeWords(schema.items)}${isNullable(schema) ? ' or null' : ''}`;
  const types = [schema.type ?? 'any'].flat().join(' or ');
  const details = [
    lengthWords(schema),
    boundWords(schema),
    schema.default === undefined ? '' : `default ${html(JSON.stringify(schema.default))}`,
  ];
  return [
    `${types}${schema.format === undefined ? '' : ` (${html(schema.format)})`}`,
    ...details.filter((words) => words !== ''),
  ].join(', ');
}

/** `Project` of `#/components/schemas/Project`. */
function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? reference;
}

function describedBy(field: JsonSchema): string {
  const values = field.enum ?? field.items?.enum;
  const list = values === undefined ? '' : ` One of: ${values.map((value) => `\`${String(value)}\``).join(', ')}.`;
  return `${field.description ?? ''}${list}`.trim();
}

function isNullable({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('null');
}

function lengthWords({ minLength, maxLength }: JsonSchema): string {
  if (maxLength !== undefined) return `at most ${maxLength} characters`;
  return minLength === 1 ? 'not empty' : '';
}

function boundWords({ minimum, maximum, format }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined)
    return format === 'int32' && maximum === 2_147_483_647 ? '' : `${minimum} to ${maximum}`;
  return minimum === undefined ? '' : `at least ${minimum}`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function html(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

function inline(text: string): string {
  return html(text).replaceAll(/`([^`]+)`/g, (_, code: string) => `<code>${code}</code>`);
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((part) => `<p>${inline(part)}</p>`)
    .join('');
}

const DOCS_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1d2733, #dce3ea); --soft: light-dark(#5b6875, #97a5b3); --paper: light-dark(#fff, #12181f);
  --panel: light-dark(#f5f7f9, #1a222b); --line: light-dark(#dde3e9, #2c3845); --link: light-dark(#0b5cad, #7db8f5);
  --get: light-dark(#0b6e4f, #58c99f); --post: light-dark(#0b5cad, #7db8f5); --put: light-dark(#96560a, #e6ad5c); }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); color: var(--ink); background: var(--paper);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .88em; }
code { overflow-wrap: anywhere; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 2rem 1.25rem; background: var(--panel); border-right: 1px solid var(--line); font-size: .88rem; }
nav p { margin: 1.1rem 0 .25rem; font-weight: 650; } nav p:first-child { margin-top: 0; }
nav p a { color: var(--ink); }
nav ul { list-style: none; margin: 0; padding: 0; } nav li a { display: block; padding: .14rem 0; color: var(--soft); } nav li a:hover { color: var(--link); }
nav li a { padding-left: 2.6rem; text-indent: -2.6rem; } nav li a:not(:has(b)) { padding-left: 0; text-indent: 0; }
nav b { display: inline-block; width: 2.6rem; text-indent: 0; font-size: .68rem; letter-spacing: .04em; }
main { max-width: 60rem; padding: 2rem 3rem 6rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; } h1 small { font-size: .9rem; font-weight: 400; color: var(--soft); }
.lead { font-size: 1.1rem; color: var(--soft); margin-top: 0; }
h2 { margin: 3.2rem 0 .4rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); font-size: 1.4rem; }
h3 { margin: 0 0 .3rem; font-size: 1.1rem; }
h4 { margin: 1.2rem 0 .4rem; font-size: .75rem; text-transform: uppercase; letter-spacing: .07em; color: var(--soft); }
p { margin: .5rem 0; }
article { margin: 1.6rem 0; } .operation { padding: 1.2rem 1.4rem; border: 1px solid var(--line); border-radius: 8px; }
.line { display: flex; gap: .7rem; align-items: baseline; padding: .5rem .8rem; background: var(--panel); border-radius: 6px; }
.line code { font-size: .95rem; } .security { margin-left: auto; color: var(--soft); font-size: .8rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
table { width: 100%; border-collapse: collapse; margin: .6rem 0; font-size: .9rem; }
th, td { padding: .4rem .8rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--soft); font-size: .75rem; } tbody tr:last-child > * { border-bottom: 0; }
tbody th { width: 30%; padding-left: calc(var(--depth, 0) * 1.1rem); } td:last-child { padding-right: 0; }
.named tbody th { width: 12rem; } .named td code { white-space: nowrap; }
.schema td:nth-child(2), .operation td { color: var(--soft); } .schema td:last-child, .operation td:last-child { color: inherit; }
em { color: var(--put); font-style: normal; font-size: .75rem; white-space: nowrap; }
.answer { margin: .5rem 0 .9rem; } .status { color: var(--get); margin-right: .4rem; }
.content { color: var(--soft); margin: .2rem 0; } .errors { color: var(--soft); } .errors a { margin-left: .3rem; }
details { margin: .35rem 0; } summary { cursor: pointer; color: var(--link); font-size: .9rem; }
pre { margin: .4rem 0 .8rem; padding: .8rem 1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; line-height: 1.45; }
:target { outline: 2px solid var(--link); outline-offset: 6px; border-radius: 6px; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1.2rem; } }
@media print { nav { display: none; } body { display: block; } details > * { display: block; } }
`;

/** Serves `/openapi.json` and `/docs` to anybody (document: Versioning, 6); made on first request. */
export function documentRoutes(app: FastifyInstance, chosen: NotShown): void {
  let made: { readonly json: string; readonly page: string } | undefined;
  const served = (): { readonly json: string; readonly page: string } => {
    if (made !== undefined) return made;
    const document = openApiDocument(chosen);
    return (made = { json: JSON.stringify(document, null, 2), page: docsPage(document) });
  };
  app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(served().json));
  app.get('/docs', (_request, reply) => reply.type('text/html; charset=utf-8').send(served().page));
}
