const prefix = '/administration/v1'

/** An answer that refuses. Its message may be shown. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** Asks administration. Throws a Refusal; whoever is signed out is led to sign in again. */
export async function ask(method, path, body) {
  const answer = await fetch(prefix + path, {
    method,
    headers: {
      'x-despatch-console': '1',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  }).catch(() => {
    throw new Refusal(0, 'Despatch does not answer.')
  })
  if (answer.ok) return answer.status === 204 ? undefined : answer.json()
  const { errors = [] } = await answer.json().catch(() => ({}))
  if (answer.status === 401 && path !== '/sessions') leadToSignIn()
  const told = errors.map(({ title, detail }) => (title ? `${title}: ${detail}` : detail))
  throw new Refusal(answer.status, told.join('. ') || `The answer was ${answer.status}.`)
}

/** A path with those parameters that have a value. */
export function withQuery(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value)
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

export function leadToSignIn() {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
}
