import type { CommandContext } from './command-context.ts'
import { saveFile } from './save-file.ts'
import type { Session } from './session.ts'
import { type Credential, keptPath, readKept } from './settings.ts'

export type Secret = Pick<Credential, 'password'> | Pick<Credential, 'apiKey'>

/**
 * Replaces a secret of a user of credentials.json there, if the file is of the same installation. Returns a sentence
 * about it, or nothing if the file does not have the user. Throws nothing, because the secret is shown only once.
 */
export async function saveSecret(
  { baseUrl }: Pick<Session, 'baseUrl'>,
  userName: string,
  secret: Secret,
  { environment, root }: CommandContext,
): Promise<string | undefined> {
  const path = keptPath(environment, root)
  try {
    const kept = await readKept(path)
    if (!kept || kept.baseUrl !== baseUrl) return undefined
    const changed = Object.entries(kept).map(([name, value]) => {
      const isUser = typeof value === 'object' && value.userName === userName
      return [name, isUser ? { ...value, ...secret } : value] as const
    })
    if (changed.every(([name, value]) => kept[name as keyof typeof kept] === value))
      return undefined
    const text = `${JSON.stringify(Object.fromEntries(changed), null, 2)}\n`
    const content = async function* () {
      yield Buffer.from(text)
    }
    await saveFile(path, async () => content(), { force: true })
    return `It is saved in ${path} too.`
  } catch (error) {
    return `${path} still has the old one: ${(error as Error).message}.`
  }
}
