import { type Agent, request } from 'undici'

export type Credentials = { userName: string; password: string; apiKey: string }

/** Authenticates a caller, and again before its token expires after an hour. */
export type Session = { headers(): Promise<Record<string, string>> }

const tokenMs = 50 * 60_000

export function openSession(
  agent: Agent,
  { origin, userName, password, apiKey }: Credentials & { origin: string },
): Session {
  let token: Promise<string> | undefined
  let renewAt = 0

  async function authenticate(): Promise<string> {
    const answer = await request(`${origin}/thirdparty-access/v1/authenticate`, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userName, password }),
    })
    if (answer.statusCode !== 200) {
      throw new Error(
        `Authenticating was answered ${answer.statusCode} ${await answer.body.text()}`,
      )
    }
    return ((await answer.body.json()) as { 'id-token': string })['id-token']
  }

  return {
    async headers() {
      if (token === undefined || performance.now() >= renewAt) {
        renewAt = performance.now() + tokenMs
        token = authenticate()
      }
      return { authorization: await token, 'x-api-key': apiKey }
    },
  }
}
