import type { FastifyInstance } from 'fastify';
import type { NotShown } from '../not-shown.ts';
import { templateText } from '../../contract/template-data.ts';
import { Html, markup, type Part } from './markup.ts';
import { openApiDocument, type OpenApiDocument } from './openapi-document.ts';
import type { Answer, Content, JsonSchema, Operation, Reference } from './schemas.ts';

/** One HTML page without scripts or external files. */
function docsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const operations = operationsOf(document);
  const groups = tags.map((tag) => ({
    ...tag,
    own: operations.filter((operation) => operation.tags.includes(tag.name)),
  }));
  const sections = groups.map(
    ({ name, description, own }) =>
      markup`<section><h2 id="tag-${name}">${name}</h2>${paragraphs(description)}${own.map((operation) => operationSection(operation, document))}</section>`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      markup`<article class="schema" id="schema-${name}"><h3>${name}</h3>${paragraphs(schema.description)}${fieldTable(schema)}</article>`,
  );
  const links = groups.map(
    ({ name, own }) =>
      markup`<p><a href="#tag-${name}">${name}</a></p><ul>${own.map(({ operationId, method, summary }) => markup`<li><a href="#${operationId}"><b class="${method}">${method.toUpperCase()}</b>${summary}</a></li>`)}</ul>`,
  );
  const schemaLinks = Object.keys(components.schemas).map(
    (name) => markup`<li><a href="#schema-${name}">${name}</a></li>`,
  );
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title}</title>
<style>
${new Html(templateText('sandbox/docs.css'))}</style>
</head>
<body>
<nav aria-label="Contents"><p><a href="#authentication">Authentication</a></p>${links}<p><a href="#errors">Errors</a></p><p><a href="#schemas">Schemas</a></p><ul>${schemaLinks}</ul></nav>
<main>
<header>
<h1>${info.title} <small>${info.version}</small></h1>
<p class="lead">${info.summary}</p>
${paragraphs(info.description)}
<p><a href="openapi.json">openapi.json</a> is this page for programs.</p>
</header>
<section><h2 id="authentication">Authentication</h2>${authentication(document)}</section>
${sections}
<section><h2 id="errors">Errors</h2>${paragraphs('Every error carries `{ error: { message } }`.')}${errorTable(document)}</section>
<section><h2 id="schemas">Schemas</h2>${schemas}</section>
</main>
</body>
</html>
`.text;
}

interface ListedOperation extends Operation {
  readonly path: string;
  readonly method: string;
}

function operationsOf({ paths }: OpenApiDocument): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
}

function authentication({ components }: OpenApiDocument): Html {
  const rows = Object.entries(components.securitySchemes).map(([name, { scheme, description }]) =>
    row(name, markup`<code>Authorization: ${scheme === 'basic' ? 'Basic' : 'Bearer'} …</code>`, inline(description)),
  );
  return markup`<table class="named"><tbody>${rows}</tbody></table>`;
}

function errorTable(document: OpenApiDocument): Html {
  const statuses = new Map(
    operationsOf(document).flatMap(({ responses }) => errorsOf(responses).map(({ name, status }) => [name, status])),
  );
  const rows = Object.entries(document.components.responses).map(
    ([name, { description }]) =>
      statuses.has(name) &&
      markup`<tr id="response-${name}"><th scope="row"><b>${statuses.get(name)}</b> ${name}</th><td>${inline(description)}</td></tr>`,
  );
  return markup`<table class="named"><tbody>${rows}</tbody></table>`;
}

function operationSection(operation: ListedOperation, document: OpenApiDocument): Html {
  const { operationId, summary, description, method, path, parameters, requestBody, responses } = operation;
  const { security = document.security } = operation;
  const parameterRows = parameters?.map(({ name, in: place, required, description: meaning, schema }) =>
    row(named(name, required), place, typeWords(schema), meaningOf({ ...schema, description: meaning })),
  );
  const errors = errorsOf(responses).map(
    ({ name, status }) =>
      markup` <a href="#response-${name}" title="${document.components.responses[name]?.description}">${status}</a>`,
  );
  return markup`<article class="operation" id="${operationId}">
<h3>${summary}</h3>
<p class="line"><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code> <span class="security">${security.flatMap(Object.keys).join(', ')}</span></p>
${paragraphs(description)}
${parameterRows && markup`<h4>Parameters</h4>${table(['Name', 'In', 'Type', 'Meaning'], parameterRows)}`}
${requestBody && markup`<h4>Request</h4>${contentBlock(requestBody.content, true)}`}
<h4>Answers</h4>
${Object.entries(responses).map(([status, answer]) => !isReference(answer) && answerBlock(status, answer))}
<p class="errors">Errors:${errors}</p>
</article>`;
}

function answerBlock(status: string, { description, headers, content }: Answer): Html {
  const rows = Object.entries(headers ?? {}).map(([name, header]) =>
    row(named(name), typeWords(header.schema), inline(header.description)),
  );
  return markup`<div class="answer"><p><b class="status">${status}</b> ${inline(description)}</p>${headers && markup`<table><tbody>${rows}</tbody></table>`}${content && contentBlock(content)}</div>`;
}

function contentBlock(content: Content, open = false): Part {
  return Object.entries(content).map(([type, { schema, examples = {} }]) => {
    const shown = Object.values(examples).map(
      ({ summary, value }) =>
        markup`<details${open && ' open'}><summary>Example: ${summary}</summary><pre>${exampleText(type, value)}</pre></details>`,
    );
    return markup`<p class="content"><code>${type}</code> ${typeWords(schema)}</p>${shown}`;
  });
}

function exampleText(type: string, value: unknown): string {
  if (type !== 'application/x-www-form-urlencoded') return JSON.stringify(value, null, 2);
  return Object.entries(value as Record<string, string>)
    .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
    .join('&');
}

function fieldTable(schema: JsonSchema): Html {
  const rows = fieldRows(schema);
  return rows.length === 0 ? markup`<p>${typeWords(schema)}</p>` : table(['Field', 'Type', 'Meaning'], rows);
}

/** A row for every field, indented by `depth`, including fields of inner objects and lists of objects. */
function fieldRows(schema: JsonSchema, depth = 0): readonly Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    markup`<tr><th scope="row" style="--depth:${depth}">${named(name, schema.required?.includes(name))}</th><td>${typeWords(field)}</td><td>${meaningOf(field)}</td></tr>`,
    ...fieldRows(field, depth + 1),
    ...fieldRows(field.items ?? {}, depth + 1),
  ]);
}

function table(titles: readonly string[], rows: readonly Html[]): Html {
  return markup`<table><thead><tr>${titles.map((title) => markup`<th>${title}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}

function row(title: Part, ...cells: readonly Part[]): Html {
  return markup`<tr><th scope="row">${title}</th>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`;
}

function named(name: string, required = false): Html {
  return markup`<code>${name}</code>${required && markup` <em>required</em>`}`;
}

function isReference(answer: Answer | Reference): answer is Reference {
  return '$ref' in answer;
}

function errorsOf(responses: Operation['responses']): { readonly name: string; readonly status: string }[] {
  return Object.entries(responses).flatMap(([status, answer]) =>
    isReference(answer) ? [{ name: nameOf(answer.$ref), status }] : [],
  );
}

/** Such as `integer (int64), at least 0`; a schema of `components` is a link. */
function typeWords(schema: JsonSchema): Part {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return markup`<a href="#schema-${name}">${name}</a>`;
  }
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map((each, index) => [index > 0 && ' or ', typeWords(each)]);
  if (schema.const !== undefined) return markup`<code>${JSON.stringify(schema.const)}</code>`;
  const types = [schema.type ?? 'any'].flat();
  if (schema.items !== undefined) return ['list of ', typeWords(schema.items), types.includes('null') && ' or null'];
  const details = [
    `${types.join(' or ')}${schema.format === undefined ? '' : ` (${schema.format})`}`,
    lengthWords(schema),
    boundWords(schema),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ];
  return details.filter((words) => words !== '').join(', ');
}

/** `Project` of `#/components/schemas/Project`. */
function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? reference;
}

function meaningOf(field: JsonSchema): Part {
  const values = field.enum ?? field.items?.enum;
  const list = values === undefined ? '' : ` One of: ${values.map((value) => `\`${String(value)}\``).join(', ')}.`;
  return inline(`${field.description ?? ''}${list}`.trim());
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

/** What is between backticks is code. */
function inline(text: string): Part {
  return text.split('`').map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part));
}

function paragraphs(text: string | undefined): Part {
  return text?.split('\n\n').map((part) => markup`<p>${inline(part)}</p>`);
}

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
