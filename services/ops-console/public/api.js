const prefix = '/administration/v1'

/** An error response. The page may show its message. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

const answerMsMax = 30_000
const fileMsMax = 600_000

/**
 * Calls administration and returns the parsed body. Throws a Refusal. Without a session, the page goes to the sign-in
 * page.
 */
export async function ask(method, path, body) {
  const answer = await answerTo(method, path, { body, msMax: answerMsMax })
  if (answer.status === 204) return undefined
  return answer.json().catch(() => {
    throw new Refusal(answer.status, 'The response was cut off. Try again.')
  })
}

/** Downloads a file from administration. Throws a Refusal, also if the file is incomplete. */
export async function askForFile(path) {
  const answer = await answerTo('GET', path, { msMax: fileMsMax })
  return answer.blob().catch(() => {
    throw new Refusal(answer.status, 'The download was cut off. Try again.')
  })
}

async function answerTo(method, path, { body, msMax }) {
  const answer = await fetch(prefix + path, {
    method,
    headers: {
      'x-despatch-console': '1',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(msMax),
  }).catch(() => {
    throw new Refusal(0, 'Despatch does not respond.')
  })
  if (answer.ok) return answer
  const { errors = [] } = await answer.json().catch(() => ({}))
  if (answer.status === 401 && path !== '/sessions') leadToSignIn()
  const messages = errors.map(({ title, detail }) => (title ? `${title}: ${detail}` : detail))
  throw new Refusal(
    answer.status,
    messages.join('. ') || `The response status is ${answer.status}.`,
  )
}

/** Returns the parameters that have a value. */
export function given(parameters) {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value))
}

/**
 * Returns a path with the parameters that have a value. They must not be personal, because servers on the way log URLs.
 */
export function withQuery(path, parameters) {
  const query = new URLSearchParams(given(parameters))
  return query.size > 0 ? `${path}?${query}` : path
}

export function leadToSignIn() {
  location.assign(
    `/sign-in?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`,
  )
}
