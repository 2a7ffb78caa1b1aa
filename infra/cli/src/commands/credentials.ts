import type { Add, Call } from '../operation-command.ts'
import { type Secret, saveSecret } from '../save-secret.ts'
import { renderFields } from '../table.ts'

export const shownOnce =
  'Shown only once and not stored in clear text. Pass it on now, over a secure channel.'

/** Adds the commands that end the credentials of a consumer, and replace them. */
export function addCredentialCommands(add: Add): void {
  add({
    usage: 'rotate-key <userName>',
    operation: 'rotateApiKey',
    route: 'POST /consumers/:consumerId/rotate-key',
    does: 'replaces the API key; the old one and all tokens stop working immediately',
    ...replacing('API key'),
    text: ({ apiKey, apiKeyExpiry }, { userName }: Whose, call) =>
      renderReplaced({ 'API key': apiKey, until: apiKeyExpiry }, userName, { apiKey }, call),
  })
  add({
    usage: 'reset-password <userName>',
    operation: 'resetPassword',
    route: 'POST /consumers/:consumerId/reset-password',
    does: 'replaces the password; the old one and all tokens stop working immediately',
    ...replacing('password'),
    text: ({ password, passwordExpiry }, { userName }: Whose, call) =>
      renderReplaced({ password, until: passwordExpiry }, userName, { password }, call),
  })
  add({
    usage: 'end-tokens <userName>',
    operation: 'endTokens',
    route: 'POST /consumers/:consumerId/end-tokens',
    does: 'ends all tokens and console sessions; password and API key keep working',
    agree: {
      describe: ({ userName }) =>
        `This ends all tokens and console sessions of 1 consumer, ${userName}. A client that signs in again only when its token expires fails for up to an hour. This cannot be undone.`,
      question: 'End them?',
      otherwise: 'nothing was ended',
    },
    text: ({ userName }) => `The tokens of consumer ${userName} are ended.`,
  })
}

type Whose = { userName: string }

/** Asks for agreement, and repeats the operator's own password. */
function replacing(credential: string) {
  return {
    agree: {
      describe: ({ userName }: Whose) => ({
        document: { userName, credential },
        text: `This replaces the ${credential} of 1 consumer, ${userName}. The old one and all its tokens stop working immediately. This cannot be undone.`,
      }),
      question: 'Replace it?',
      otherwise: 'nothing was replaced',
    },
    send: <Answer>({ session, path }: Call) =>
      session.send<Answer>('POST', path, { password: session.password }),
  }
}

async function renderReplaced(
  fields: Readonly<Record<string, string>>,
  userName: string,
  secret: Secret,
  { session, context }: Call,
): Promise<string> {
  const saved = await saveSecret(session, userName, secret, context)
  const [credential] = Object.keys(fields)
  return `Consumer ${userName} has a new ${credential}.\n\n${renderFields(fields)}\n\n${saved ? `${saved}\n` : ''}${shownOnce}`
}
