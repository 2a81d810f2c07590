/** A JSON Schema (2020-12), as far as this document uses it. */
export interface JsonSchema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

export interface Reference {
  readonly $ref: string;
}

/** What a request or an answer carries, by content type. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: Examples }>>;
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

export type Method = 'get' | 'post' | 'put';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

/** An OpenAPI 3.1 document, as far as this service needs it. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly summary: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly type: 'http'; readonly scheme: string; readonly description: string }>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}
