import type { ActingRole } from './settings.ts'

/** Where the credential of a session comes from. */
export type CredentialOrigin =
  | { kind: 'environment' }
  | { kind: 'file'; path: string; role: ActingRole }

/** The secret that a 401 refuses: signing in takes the password, every other request the API key. */
export type RefusedSecret = 'password' | 'API key'

const commands = { password: 'reset-password', 'API key': 'rotate-key' } as const
const variables = { password: 'DESPATCH_PASSWORD', 'API key': 'DESPATCH_API_KEY' } as const

/** Says where a refused secret is, that it was replaced elsewhere, and how to mend it. */
export function explainStale(
  secret: RefusedSecret,
  userName: string,
  origin: CredentialOrigin,
): string {
  const command = `npx despatch consumers ${commands[secret]} ${userName}`
  if (origin.kind === 'environment') {
    return `The ${secret} in ${variables[secret]} is wrong, or was replaced elsewhere. Correct it, or an admin makes another one: ${command}`
  }
  const where = `The ${secret} of ${userName} in ${origin.path} is not accepted: it was probably replaced elsewhere.`
  return origin.role === 'consumer'
    ? `${where} An admin makes another one and saves it there with: ${command}`
    : `${where} Write the present one into the file. Or another admin, with credentials in DESPATCH_USER_NAME, DESPATCH_PASSWORD and DESPATCH_API_KEY, makes one and saves it there: ${command}. With the embedded database, npm start makes new ones once the file is removed`
}
