import { countOf } from '../count-of.ts'
import { type Expiries, readExpiries } from '../session.ts'
import { type Credential, type KnownSettings, parseAddress } from '../settings.ts'
import type { Check, Finding } from './finding.ts'

const warningDays = 30
const dayMs = 86_400_000

/** Checks whether the users of these commands can sign in, and when their credentials expire. */
export const checkCredentials: Check = async ({ settings, now }) => {
  const { baseUrl, insecureHttp } = settings
  if (baseUrl === undefined) return []
  const found = await Promise.all(
    chosenCredentials(settings).map(async ([who, credential]) => {
      if (!isWhole(credential)) return [incomplete(who)]
      const signIn = async () =>
        readExpiries({ baseUrl: parseAddress(baseUrl, '--base-url', { insecureHttp }), credential })
      return signIn().then(
        (expiries) => judgeExpiries(who, expiries, now()),
        (error: Error) => [refused(who, error.message)],
      )
    }),
  )
  return found.length > 0 ? found.flat() : [nobody]
}

/** Credentials in the environment override the stored ones, as for every command. */
export function chosenCredentials(
  settings: KnownSettings,
): (readonly [who: string, credential: Partial<Credential>])[] {
  if (settings.given) return [['credentials of the environment', settings.given]]
  return (['operator', 'consumer'] as const).flatMap((role) => {
    const credential = settings[role]
    return credential ? [[`credentials of the ${role}`, credential] as const] : []
  })
}

export function judgeExpiries(who: string, expiries: Expiries, now: Date): Finding[] {
  return [
    judgeExpiry(`${who}: password`, expiries.passwordExpiry, {
      now,
      mend: 'change it (POST /thirdparty-access/v1/password), or: despatch consumers reset-password',
    }),
    judgeExpiry(`${who}: API key`, expiries.apiKeyExpiry, {
      now,
      mend: 'change it (POST /thirdparty-access/v1/new-api-key), or: despatch consumers rotate-key',
    }),
  ]
}

function judgeExpiry(
  subject: string,
  lastDay: string,
  { now, mend }: { now: Date; mend: string },
): Finding {
  const days = Math.round(
    (Date.parse(lastDay) - Date.parse(now.toISOString().slice(0, 10))) / dayMs,
  )
  if (days < 0) return { subject, state: 'bad', found: `expired after ${lastDay}`, mend }
  const found = `works until ${lastDay}, ${countOf(days, 'day')} from now`
  return days > warningDays
    ? { subject, state: 'good', found }
    : { subject, state: 'warning', found, mend }
}

function isWhole(credential: Partial<Credential>): credential is Credential {
  return Boolean(credential.userName && credential.password && credential.apiKey)
}

function incomplete(subject: string): Finding {
  const mend = 'set DESPATCH_USER_NAME, DESPATCH_PASSWORD and DESPATCH_API_KEY, or none of them'
  return { subject, state: 'bad', found: 'some of them are missing', mend }
}

function refused(subject: string, message: string): Finding {
  const mend = 'correct them; an admin sets a new password with: despatch consumers reset-password'
  return { subject, state: 'bad', found: `signing in failed: ${message}`, mend }
}

const nobody: Finding = {
  subject: 'credentials',
  state: 'bad',
  found: 'no credentials to sign in with',
  mend: 'set DESPATCH_DATA_DIR to where credentials.json is, or DESPATCH_USER_NAME, DESPATCH_PASSWORD and DESPATCH_API_KEY',
}
