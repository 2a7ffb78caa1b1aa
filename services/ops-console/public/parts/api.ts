const prefix = '/administration/v1'
const answerMsMax = 30_000
const fileMsMax = 600_000

/** An error response. The page may show its message. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Returns what the page says of an error. One that is not a Refusal is a fault of the console, so the browser logs it. */
export function messageOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  reportError(error)
  return `The console failed: ${error instanceof Error ? error.message : error}. Reload the page.`
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Parameters = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * Calls administration and returns the parsed body. Throws a Refusal. Without a session, the page goes to the sign-in
 * page.
 */
export async function ask<Answer>(method: Method, path: string, body?: object): Promise<Answer> {
  const answer = await answerTo(method, path, { body, msMax: answerMsMax })
  if (answer.status === 204) return undefined as Answer
  return answer.json().catch(() => {
    throw new Refusal(answer.status, 'The response was cut off. Try again.')
  })
}

/** Downloads a file from administration. Throws a Refusal, also if the file is incomplete. */
export async function askForFile(path: string): Promise<Blob> {
  const answer = await answerTo('GET', path, { msMax: fileMsMax })
  return answer.blob().catch(() => {
    throw new Refusal(answer.status, 'The download was cut off. Try again.')
  })
}

async function answerTo(
  method: Method,
  path: string,
  { body, msMax }: { body?: object | undefined; msMax: number },
): Promise<Response> {
  const answer = await fetch(prefix + path, {
    method,
    headers: { 'x-despatch-console': '1', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(msMax),
  }).catch(() => {
    throw new Refusal(0, 'Despatch does not respond.')
  })
  if (answer.ok) return answer
  const { errors = [] }: Problems = await answer.json().catch(() => ({}))
  const isSigning = (path === '/sessions' && method !== 'GET') || path.startsWith('/oidc-sign-ins')
  if (answer.status === 401 && !isSigning) leadToSignIn()
  const messages = errors.map(({ title, detail }) => (title ? `${title}: ${detail}` : detail))
  throw new Refusal(
    answer.status,
    messages.join('. ') || `The response status is ${answer.status}.`,
  )
}

type Problems = { errors?: { title?: string; detail: string }[] }

/** Returns the parameters that have a value. */
export function given<Given extends object>(parameters: Given) {
  const entries = Object.entries(parameters).filter(([, value]) => value)
  return Object.fromEntries(entries) as { [Name in keyof Given]?: NonNullable<Given[Name]> }
}

/**
 * Returns a path with the parameters that have a value. They must not be personal, because servers on the way log URLs.
 */
export function withQuery(path: string, parameters: Parameters): string {
  const texts = Object.entries(given(parameters)).map(([name, value]) => [name, String(value)])
  return texts.length > 0 ? `${path}?${new URLSearchParams(texts)}` : path
}

let isSigningOut = false

/**
 * Says whether the user signs out. The page then leads where the sign-out ends: other requests are refused meanwhile,
 * and must not lead elsewhere.
 */
export function setSigningOut(value: boolean): void {
  isSigningOut = value
}

/**
 * Leads to the sign-in page, unless the user signs out. Nothing of the session that has ended stays on this page.
 */
export function leadToSignIn(): void {
  if (isSigningOut) return
  document.body.replaceChildren()
  const { pathname, search, hash } = location
  location.assign(`/sign-in?next=${encodeURIComponent(pathname + search + hash)}`)
}

/** The parameters of the page's own address. */
export function ownQuery(): Record<string, string | undefined> {
  return Object.fromEntries(new URLSearchParams(location.search))
}
