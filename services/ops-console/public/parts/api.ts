const prefix = '/administration/v1'
const answerMsMax = 30_000
const fileMsMax = 600_000

/** An error response. The page may show its message. */
export class Refusal extends Error {
  readonly status: number
  readonly problems: readonly Problem[]

  constructor(status: number, message: string, problems: readonly Problem[] = []) {
    super(message)
    this.status = status
    this.problems = problems
  }
}

/**
 * Returns what the page says of an error. `nameOf` returns the reader's name of a field. An error that is not a Refusal
 * is a fault of the console, so the browser logs it.
 */
export function messageOf(error: unknown, nameOf = (field: string) => field): string {
  if (error instanceof Refusal) return inWords(error.problems, nameOf) || error.message
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
export async function askForFile(path: string, body?: object): Promise<Blob> {
  const answer = await answerTo(body ? 'POST' : 'GET', path, { body, msMax: fileMsMax })
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
  const { errors = [] }: { errors?: Problem[] } = await answer.json().catch(() => ({}))
  const isSigning = (path === '/sessions' && method !== 'GET') || path.startsWith('/oidc-sign-ins')
  if (answer.status === 401 && !isSigning) leadToSignIn()
  const message = inWords(errors) || `The response status is ${answer.status}.`
  throw new Refusal(answer.status, message, errors)
}

/** The title of a field's problem is the name of the field. */
type Problem = { title?: string; detail: string }

function inWords(problems: readonly Problem[], nameOf = (field: string) => field): string {
  return problems
    .map(({ title, detail }) => (title ? `${nameOf(title)}: ${detail}` : detail))
    .join('. ')
}

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
