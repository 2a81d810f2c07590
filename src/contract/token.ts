import { z } from 'zod';

/** Document: Authentication. */
export const ACCESS_TOKEN_SECONDS = 10 * 60;
export const REFRESH_TOKEN_SECONDS = 24 * 60 * 60;

/** What is odd of it counts as absent: no run stops for a field that it can do without. */
/** What can stand in a header. */
const HEADER_TEXT = /^[\x21-\x7e]{1,8192}$/;
const text = z.string().nullish().catch(undefined);
const numberAsText = z.string().trim().regex(/^\d+(\.\d+)?$/).transform(Number);

/** POST /v1/oauth/token. The unit of expires_in is not shown. */
export const tokenResponse = z.looseObject({
  access_token: z.string().regex(HEADER_TEXT),
  token_type: text,
  refresh_token: text,
  expires_in: z.union([z.number(), numberAsText]).nullish().catch(undefined),
  scope: text,
});
export type TokenResponse = z.infer<typeof tokenResponse>;

/** Document: Errors. */
export const errorBody = z.looseObject({ error: z.looseObject({ message: z.string() }) });
