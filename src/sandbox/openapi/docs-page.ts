import { html, inline, paragraphs } from './html.ts';
import { DOCS_STYLE } from './docs-style.ts';
import type { Answer, Content, JsonSchema, Method, OpenApiDocument, Operation, Parameter, Reference } from './openapi-types.ts';
import { describedBy, fieldRows, nameOf, typeWords } from './schema-rows.ts';

/** The document as a page for people: one HTML text, with its style, without scripts and without anything from the network. */
export function docsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const listed = operationsOf(document);
  const sections = tags.map(({ name, description }) => {
    const own = listed.filter(({ operation }) => operation.tags.includes(name)).map((entry) => operationSection(entry, document));
    return `<section><h2 id="tag-${name}">${html(name)}</h2>${paragraphs(description)}${own.join('')}</section>`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<article class="schema" id="schema-${name}"><h3>${html(name)}</h3>${schema.description === undefined ? '' : paragraphs(schema.description)}${fieldTable(schema)}</article>`,
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
    Object.entries(methods).flatMap(([method, operation]) => (operation === undefined ? [] : [{ path, method: method as Method, operation }])),
  );
}

function contents(document: OpenApiDocument): string {
  const groups = document.tags.map(({ name }) => {
    const own = operationsOf(document).filter(({ operation }) => operation.tags.includes(name));
    const links = own.map(({ method, operation }) => `<li><a href="#${operation.operationId}"><b class="${method}">${method.toUpperCase()}</b>${html(operation.summary)}</a></li>`);
    return `<p><a href="#tag-${name}">${html(name)}</a></p><ul>${links.join('')}</ul>`;
  });
  const schemas = Object.keys(document.components.schemas).map((name) => `<li><a href="#schema-${name}">${html(name)}</a></li>`);
  return `<p><a href="#authentication">Authentication</a></p>${groups.join('')}<p><a href="#errors">Errors</a></p><p><a href="#schemas">Schemas</a></p><ul>${schemas.join('')}</ul>`;
}

function authentication({ components }: OpenApiDocument): string {
  const rows = Object.entries(components.securitySchemes).map(([name, scheme]) => `<tr><th scope="row">${html(name)}</th><td><code>Authorization: ${scheme.scheme === 'basic' ? 'Basic' : 'Bearer'} …</code></td><td>${inline(scheme.description)}</td></tr>`);
  return `<table class="named"><tbody>${rows.join('')}</tbody></table>`;
}

function errorTable(document: OpenApiDocument): string {
  const statuses = new Map(operationsOf(document).flatMap(({ operation }) => Object.entries(operation.responses).flatMap(([status, answer]) => (isReference(answer) ? [[nameOf(answer.$ref), status] as const] : []))));
  const rows = Object.entries(document.components.responses).map(([name, answer]) => `<tr id="response-${name}"><th scope="row"><b>${statuses.get(name) ?? ''}</b> ${html(name)}</th><td>${inline(answer.description)}</td></tr>`);
  return `<table class="named"><tbody>${rows.join('')}</tbody></table>`;
}

function operationSection({ path, method, operation }: ListedOperation, document: OpenApiDocument): string {
  const { operationId, summary, description, parameters = [], requestBody, responses, security = document.security } = operation;
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
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `<tr><th scope="row"><code>${html(name)}</code>${required ? ' <em>required</em>' : ''}</th><td>${place}</td><td>${typeWords(schema)}</td><td>${inline(describedBy({ ...schema, description }))}</td></tr>`,
  );
  return `<table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** Answers of this operation in full; the errors, which are alike everywhere, in a line that leads to their table. */
function answers(responses: Operation['responses'], document: OpenApiDocument): string {
  const own = Object.entries(responses).flatMap(([status, answer]) => (isReference(answer) ? [] : [answerBlock(status, answer)]));
  const errors = Object.entries(responses).flatMap(([status, answer]) => {
    if (!isReference(answer)) return [];
    const name = nameOf(answer.$ref);
    return [`<a href="#response-${name}" title="${html(document.components.responses[name]?.description ?? '')}">${status}</a>`];
  });
  return `${own.join('')}<p class="errors">Errors: ${errors.join(' ')}</p>`;
}

function answerBlock(status: string, { description, headers = {}, content }: Answer): string {
  const rows = Object.entries(headers).map(([name, header]) => `<tr><th scope="row"><code>${html(name)}</code></th><td>${typeWords(header.schema)}</td><td>${inline(header.description)}</td></tr>`);
  const table = rows.length === 0 ? '' : `<table><tbody>${rows.join('')}</tbody></table>`;
  return `<div class="answer"><p><b class="status">${status}</b> ${inline(description)}</p>${table}${content === undefined ? '' : contentBlock(content)}</div>`;
}

function contentBlock(content: Content, open = false): string {
  return Object.entries(content)
    .map(([type, { schema, examples = {} }]) => {
      const shown = Object.values(examples).map(({ summary, value }) => `<details${open ? ' open' : ''}><summary>Example: ${html(summary)}</summary><pre>${html(exampleText(type, value))}</pre></details>`);
      return `<p class="content"><code>${html(type)}</code> ${typeWords(schema)}</p>${shown.join('')}`;
    })
    .join('');
}

function exampleText(type: string, value: unknown): string {
  if (type !== 'application/x-www-form-urlencoded') return JSON.stringify(value, null, 2);
  return Object.entries(value as Record<string, string>).map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&');
}

function fieldTable(schema: JsonSchema): string {
  const rows = fieldRows(schema).map(
    ({ path, depth, required, type, description }) =>
      `<tr><th scope="row" style="--depth:${depth}"><code>${html(path)}</code>${required ? ' <em>required</em>' : ''}</th><td>${type}</td><td>${inline(description)}</td></tr>`,
  );
  return rows.length === 0 ? `<p>${typeWords(schema)}</p>` : `<table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function isReference(answer: Answer | Reference): answer is Reference {
  return '$ref' in answer;
}
