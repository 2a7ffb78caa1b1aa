import type {
  ConsumerResponse,
  ConsumersResponse,
  CreatedConsumerResponse,
} from '@despatch/contracts/administration/consumer'
import { roles, serviceNames } from '@despatch/domain/access/caller'
import { ask } from '../ask.ts'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import type { Session } from '../session.ts'
import { renderFields, renderRows } from '../table.ts'
import { renderConsumerUsage } from './consumer-usage.ts'
import { renderContracts } from './contracts.ts'
import { option, someOf } from './option.ts'
import { addCredentialCommands, addRightsCommands, shownOnce } from './rights.ts'

export function addCommands(parts: Parts): void {
  const consumers = parts.program
    .command('consumers')
    .description('consumers that can call the APIs')
  const add = addingTo(consumers, parts)

  add({
    usage: 'create [userName]',
    operation: 'createConsumer',
    route: 'POST /consumers',
    does: 'creates a consumer, and shows its password and API key',
    options: [
      option('--name <name>', 'name of the organisation'),
      option('--email <address>', 'address for password recovery codes'),
      someOf('--role <role>', 'role of the consumer; can be repeated', roles),
      option('--provider <id>', 'print provider, for the provider role'),
      someOf(
        '--service <service>',
        'service that the consumer can use; can be repeated',
        serviceNames,
      ),
      option('--plan <plan>', 'usage plan'),
    ],
    give: async ({ userName, name, ...others }, context) => ({
      userName:
        userName ?? (await ask(context, { message: 'User name', instead: 'it as an argument' })),
      name:
        name ?? (await ask(context, { message: 'Name of the organisation', instead: '--name' })),
      ...others,
    }),
    members: { userName: 'userName', role: 'roles', service: 'services', plan: 'usagePlan' },
    text: (created, _, { session }) => renderCreated(created, session.baseUrl),
  })
  add({
    usage: 'list',
    operation: 'listConsumers',
    route: 'GET /consumers',
    does: 'lists all consumers, including disabled ones',
    send: async ({ session }) => ({ consumers: await listAll(session) }),
    text: ({ consumers }) =>
      renderRows(consumers, {
        'user name': 'userName',
        name: 'name',
        roles: 'roles',
        services: 'services',
        plan: 'usagePlan',
        'key until': 'apiKeyExpiry',
        'password until': 'passwordExpiry',
        state: ({ disabledAt }) => (disabledAt ? 'disabled' : 'enabled'),
      }),
  })
  add({
    usage: 'show <userName>',
    operation: 'getConsumer',
    route: 'GET /consumers/:consumerId',
    does: 'shows a consumer with its contracts',
    text: ({ contracts, ...consumer }) =>
      `${renderConsumer(consumer)}\n\n${contracts.length > 0 ? renderContracts(contracts) : 'No contract.'}`,
  })
  add({
    usage: 'usage <userName>',
    operation: 'getConsumerUsage',
    route: 'GET /consumers/:consumerId/usage',
    does: 'shows the limits of its plan, and the approximate usage today',
    text: renderConsumerUsage,
  })
  add({
    usage: 'disable <userName>',
    operation: 'disableConsumer',
    route: 'POST /consumers/:consumerId/disable',
    does: 'refuses all further requests of a consumer; its print jobs continue',
    text: ({ userName }) => `Consumer ${userName} is disabled.`,
  })
  add({
    usage: 'enable <userName>',
    operation: 'enableConsumer',
    route: 'POST /consumers/:consumerId/enable',
    does: 'accepts requests of a consumer again, with its previous credentials',
    text: ({ userName }) => `Consumer ${userName} is enabled.`,
  })
  addCredentialCommands(add)
  addRightsCommands(add)
}

function renderCreated(created: CreatedConsumerResponse, baseUrl: string): string {
  const fields = {
    address: baseUrl,
    'user name': created.userName,
    password: created.password,
    'password until': created.passwordExpiry,
    'API key': created.apiKey,
    'API key until': created.apiKeyExpiry,
  }
  return `Consumer ${created.userName} was created.\n\n${renderFields(fields)}\n\n${shownOnce}`
}

/** Follows the pages to the last one. */
async function listAll({ send }: Session): Promise<ConsumerResponse[]> {
  const listed: ConsumerResponse[] = []
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) })
    const page = await send<ConsumersResponse>('GET', `/consumers?${query}`)
    listed.push(...page.consumers)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return listed
}

function renderConsumer(consumer: ConsumerResponse): string {
  return renderFields({
    'user name': consumer.userName,
    name: consumer.name,
    'e-mail': consumer.email,
    id: consumer.consumerId,
    roles: consumer.roles.join(', '),
    provider: consumer.providerId,
    services: consumer.services.join(', ') || 'none',
    'usage plan': consumer.usagePlan,
    networks: consumer.networks?.join(', ') || 'everywhere',
    'API key': `${consumer.apiKeyPrefix}…, since ${consumer.apiKeyChangedAt}, until ${consumer.apiKeyExpiry}`,
    password: `since ${consumer.passwordChangedAt}, until ${consumer.passwordExpiry}`,
    since: consumer.createdAt,
    disabled: consumer.disabledAt,
  })
}
