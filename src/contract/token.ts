import { z } from 'zod';

/** Document: Authentication. */
export const ACCESS_TOKEN_SECONDS = 10 * 60;
export const REFRESH_TOKEN_SECONDS = 24 * 60 * 60;

/** POST /v1/oauth/token. The unit of expires_in is not shown. */
export const tokenResponse = z.looseObject({
  access_token: z.string().min(1),
  token_type: z.string().nullish(),
  refresh_token: z.string().nullish(),
  expires_in: z.number().nullish(),
  scope: z.string().nullish(),
});
export type TokenResponse = z.infer<typeof tokenResponse>;

/** Document: Errors. */
export const errorBody = z.looseObject({ error: z.looseObject({ message: z.string() }) });
