import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import { messageOf } from '../domain/errors.ts';
import type { LogFields, Tracer } from '../domain/ports.ts';
import type { ProcessEnvironment } from './environment.ts';

// Traces of a run by the official SDK of OpenTelemetry. Nothing of it is loaded unless the environment names a collector: a start costs nothing then.

/** How long one delivery to the collector may take, and how long a run waits in the end for the last of them. */
const EXPORT_MS_MAX = 1500;
const LAST_EXPORT_MS_MAX = 2000;

/** The trace of one run. Disposing of it ends the run's own span and sends what is left; a collector that is away costs two seconds, and nothing else. */
export interface Tracing extends Tracer, AsyncDisposable {
  /** Adds to the run's own span. */
  note(fields: LogFields): void;
}

/** What a run's trace is begun with. */
interface TraceStart {
  readonly name: string;
  readonly fields: LogFields;
  readonly version: string;
  /** Hears once why the collector did not take what it was sent. */
  readonly onFailure: (reason: string) => void;
}

/** Whether the environment asks for traces, by the names that OpenTelemetry has fixed. */
function isWanted(environment: ProcessEnvironment): boolean {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own,
    OTEL_SDK_DISABLED: disabled,
    OTEL_TRACES_EXPORTER: exporter,
  } = environment;
  return Boolean(endpoint || own) && disabled?.toLowerCase() !== 'true' && exporter !== 'none';
}

/** What must stay out of logs: the values of the headers that the collector is sent. */
export function tracingSecrets(environment: ProcessEnvironment): readonly string[] {
  const headers = [environment['OTEL_EXPORTER_OTLP_HEADERS'], environment['OTEL_EXPORTER_OTLP_TRACES_HEADERS']].flatMap(
    (list) => (list ?? '').split(','),
  );
  return headers.flatMap((header) => {
    const value = header.slice(header.indexOf('=') + 1).trim();
    // A header `authorization=Bearer%20…`: the word before the secret is none.
    return header.includes('=') && value !== ''
      ? [value, ...decoded(value), ...decoded(value).flatMap((text) => text.split(/\s+/).slice(1))]
      : [];
  });
}

function decoded(value: string): readonly string[] {
  try {
    return [decodeURIComponent(value)];
  } catch {
    return [];
  }
}

/** The exporter as the environment configures it. Closing it ends what is under way. */
async function openExporter() {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const agents: (HttpAgent | HttpsAgent)[] = [];
  const httpAgentOptions = (protocol: string): HttpAgent | HttpsAgent => {
    const agent = protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
    agents.push(agent);
    return agent;
  };
  const exporter = new OTLPTraceExporter({ timeoutMillis: EXPORT_MS_MAX, httpAgentOptions });
  return { exporter, [Symbol.dispose]: () => agents.forEach((agent) => agent.destroy()) };
}

/** Why the collector did not take what it was sent; null where it did. */
function refusalIn({ code, error }: { readonly code: number; readonly error?: Error }): string | null {
  return code === 0 ? null : (error?.message ?? 'it did not answer');
}

/** Why the collector that the environment names does not take traces; null where it does, undefined where none is named. */
export async function lookAtCollector(environment: ProcessEnvironment): Promise<string | null | undefined> {
  if (!isWanted(environment)) return undefined;
  using opened = await openExporter();
  return await new Promise((resolve) => opened.exporter.export([], (result) => resolve(refusalIn(result))));
}

/** Begins the trace of a run; undefined where the environment asks for none. Never throws: a run goes on without. */
export async function openTracing(environment: ProcessEnvironment, start: TraceStart): Promise<Tracing | undefined> {
  if (!isWanted(environment)) return undefined;
  try {
    return await begin(start);
  } catch (failure) {
    start.onFailure(messageOf(failure));
    return undefined;
  }
}

/** What holds where a span is begun. */
interface Place {
  readonly context: Context;
  readonly fields: LogFields;
}

async function begin({ name, fields, version, onFailure }: TraceStart): Promise<Tracing> {
  const [
    { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace },
    { BasicTracerProvider, BatchSpanProcessor },
    { defaultResource, detectResources, envDetector, resourceFromAttributes },
    opened,
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
    openExporter(),
  ]);
  let hasFailed = false;
  const { exporter } = opened;
  const tellingExporter = {
    export: (spans: Parameters<typeof exporter.export>[0], done: Parameters<typeof exporter.export>[1]) =>
      exporter.export(spans, (result) => {
        const refusal = refusalIn(result);
        if (refusal !== null && !hasFailed) onFailure(refusal);
        hasFailed ||= refusal !== null;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const ours = resourceFromAttributes({ 'service.name': 'inspection-batch', 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(ours)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(tellingExporter, { exportTimeoutMillis: LAST_EXPORT_MS_MAX })],
  });
  const tracer = provider.getTracer('inspection-batch', version);
  const place = new AsyncLocalStorage<Place>();
  const noteOn = (span: Span, noted: LogFields): void => {
    span.setAttributes(attributesOf(noted));
    if (noted['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  };
  const root = tracer.startSpan(name, { attributes: attributesOf(fields) }, ROOT_CONTEXT);
  const atRoot: Place = { context: trace.setSpan(ROOT_CONTEXT, root), fields: {} };
  return {
    note: (noted) => noteOn(root, noted),
    within: (more, work) => {
      const { context, fields: held } = place.getStore() ?? atRoot;
      return place.run({ context, fields: { ...held, ...more } }, work);
    },
    async span(title, given, work) {
      const { context, fields: held } = place.getStore() ?? atRoot;
      const all = { ...held, ...given };
      const kind = 'http.request.method' in all ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const span = tracer.startSpan(title, { kind, attributes: attributesOf(all) }, context);
      try {
        return await place.run({ context: trace.setSpan(context, span), fields: held }, () =>
          work((noted) => noteOn(span, noted)),
        );
      } catch (failure) {
        // Its kind, never its words: they may hold people's details.
        noteOn(span, { 'error.type': failure instanceof Error ? failure.name : 'unknown' });
        throw failure;
      } finally {
        span.end();
      }
    },
    async [Symbol.asyncDispose]() {
      root.end();
      const given = new AbortController();
      await Promise.race([
        provider.shutdown().catch(() => {}),
        wait(LAST_EXPORT_MS_MAX, undefined, { signal: given.signal }).catch(() => {}),
      ]);
      given.abort();
      opened[Symbol.dispose]();
    },
  };
}

/** Names that hold a dot are OpenTelemetry's own conventions; ours stand together. What has no value is left out. */
function attributesOf(fields: LogFields): Attributes {
  const given = Object.entries(fields).filter(
    (entry): entry is [string, string | number | boolean] => entry[1] !== null && entry[1] !== undefined,
  );
  return Object.fromEntries(
    given.map(([field, value]) => [field.includes('.') ? field : `inspection_batch.${field}`, value]),
  );
}
