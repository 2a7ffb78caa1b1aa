import type { Credential } from './start-despatch.ts'

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what a test is about
export type Json = any
export type Answer<Body = Json> = { status: number; headers: Headers; text: string; body: Body }
export type Call = <Body = Json>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer<Body>>

/**
 * Returns a function that calls the API below an address, with these headers. A body that is a text is sent unchanged,
 * and any other as JSON.
 */
export function aCaller(
  base: string,
  headers: Readonly<Record<string, string>>,
  send: (url: string, init: RequestInit) => Promise<Response> = fetch,
): Call {
  return async (method, path, body, own) => {
    const response = await send(`${base}${path}`, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...own,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    const { status } = response
    return { status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
}

/** Signs in, and returns the headers of a caller. */
export async function signedIn(baseUrl: string, credential: Credential) {
  const authorization = await authenticate(baseUrl, credential)
  return { authorization, 'x-api-key': credential.apiKey }
}

export async function authenticate(
  baseUrl: string,
  { userName, password }: Pick<Credential, 'userName' | 'password'>,
): Promise<string> {
  const call = aCaller(`${baseUrl}/thirdparty-access/v1`, {})
  const { status, body } = await call('POST', '/authenticate', { userName, password })
  if (!body?.['id-token']) throw new Error(`Not authenticated: ${status}`)
  return body['id-token']
}
