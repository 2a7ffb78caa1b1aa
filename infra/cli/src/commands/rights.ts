import { wrongUsage } from '../failure.ts'
import type { Add, Call } from '../operation-command.ts'
import { type Secret, saveSecret } from '../save-secret.ts'
import { renderFields } from '../table.ts'
import { option } from './option.ts'

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

/** Adds the commands that set what a consumer may do, and how much of it. */
export function addRightsCommands(add: Add): void {
  add({
    usage: 'set-plan <userName> <plan>',
    operation: 'setUsagePlan',
    route: 'PUT /consumers/:consumerId/usage-plan',
    does: 'changes the usage plan of a consumer',
    members: { plan: 'usagePlan' },
    text: ({ userName, usagePlan }) => `Consumer ${userName} is on the usage plan ${usagePlan}.`,
  })
  add({
    usage: 'limit <userName> [networks...]',
    operation: 'setNetworks',
    route: 'PUT /consumers/:consumerId/networks',
    does: 'replaces the networks (CIDR) that a consumer can call from',
    options: [option('--none', 'lift the limit, so that it can call from everywhere')],
    give: eitherOrNone('networks'),
    text: ({ userName, networks }) =>
      `Consumer ${userName} may call from ${networks.join(', ') || 'everywhere'}.`,
  })
  add({
    usage: 'set-services <userName> [services...]',
    operation: 'setServices',
    route: 'PUT /consumers/:consumerId/services',
    does: 'replaces the services that a consumer can use',
    options: [option('--none', 'remove all services, so that it can use none')],
    give: eitherOrNone('services'),
    text: ({ userName, services }) =>
      `Consumer ${userName} may use ${services.join(', ') || 'no service'}.`,
  })
  add({
    usage: 'set-roles <userName> <roles...>',
    operation: 'setRoles',
    route: 'PUT /consumers/:consumerId/roles',
    does: 'replaces its roles: consumer, provider, operator, address-editor (with operator), admin',
    options: [option('--provider <id>', 'print provider, for the provider role')],
    text: ({ userName, roles }) => `Consumer ${userName} has the roles ${roles.join(', ')}.`,
  })
}

/** An empty list must be meant. */
function eitherOrNone(name: 'networks' | 'services') {
  return ({ none = false, ...given }: { none?: boolean } & Record<string, unknown>) => {
    const { [name]: list } = given as Record<typeof name, string[]>
    if (none === list.length > 0) throw wrongUsage(`name either ${name} or --none`)
    return given
  }
}
