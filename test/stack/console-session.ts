import type { Credential } from './start-despatch.ts'

/** Signs in to the console, and returns the cookie as a browser sends it. */
export async function signInToConsole(
  opsUrl: string,
  { userName, password }: Credential,
): Promise<string> {
  const answer = await fetch(`${opsUrl}/administration/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName, password }),
  })
  const [cookie] = answer.headers.getSetCookie()
  if (cookie === undefined) throw new Error(`Signing in to the console answered ${answer.status}`)
  return cookie.split(';', 1)[0]!
}

/** Returns the first event that the page Now receives. */
export async function firstEvent(opsUrl: string, cookie: string): Promise<string> {
  const leave = new AbortController()
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(100_000)])
  const answer = await fetch(`${opsUrl}/events`, { headers: { cookie }, signal })
  let text = ''
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += part
    if (/^event: facts\ndata: .*\n\n/m.test(text)) break
  }
  leave.abort()
  return text
}
