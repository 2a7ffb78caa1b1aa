import type {
  ConsumerDetailsResponse,
  ConsumerResponse,
  ConsumersResponse,
  CreateConsumerRequest,
  CreatedConsumerResponse,
  ResetPasswordResponse,
  RotatedApiKeyResponse,
} from '@despatch/contracts/administration/consumer'
import type { ConsumerUsageResponse } from '@despatch/contracts/administration/consumer-usage'
import { roles, serviceNames } from '@despatch/domain/access/caller'
import type { Command } from 'commander'
import { type Agreement, addYesOption, refuseUnlessAgreed } from '../agree.ts'
import { ask } from '../ask.ts'
import type { CommandContext } from '../command-context.ts'
import { findConsumer } from '../find-consumer.ts'
import type { Run } from '../program.ts'
import { saveSecret } from '../save-secret.ts'
import { renderFields, renderTable } from '../table.ts'
import { renderConsumerUsage } from './consumer-usage.ts'
import { renderContracts } from './contracts.ts'
import { forRoles } from './for-roles.ts'
import { someOf } from './option.ts'

const shownOnce =
  'Shown only once and not stored in clear text. Pass it on now, over a secure channel.'

type CreateOptions = {
  name?: string
  email?: string
  role?: string[]
  provider?: string
  service?: string[]
  plan?: string
}

export function addConsumerCommands(consumers: Command, run: Run, context: CommandContext): void {
  consumers
    .command('create [userName]')
    .description(
      forRoles('createConsumer', 'creates a consumer, and shows its password and API key'),
    )
    .option('--name <name>', 'name of the organisation')
    .option('--email <address>', 'address for password recovery codes')
    .addOption(someOf('--role <role>', 'role of the consumer; can be repeated', roles))
    .option('--provider <id>', 'print provider, for the provider role')
    .addOption(
      someOf(
        '--service <service>',
        'service that the consumer can use; can be repeated',
        serviceNames,
      ),
    )
    .option('--plan <plan>', 'usage plan')
    .action(async (given: string | undefined, options: CreateOptions) => {
      const userName =
        given ?? (await ask(context, { message: 'User name', instead: 'it as an argument' }))
      const name =
        options.name ??
        (await ask(context, { message: 'Name of the organisation', instead: '--name' }))
      await run(async ({ baseUrl, send }) => {
        const body = bodyOf(userName, name, options)
        const created = await send<CreatedConsumerResponse>('POST', '/consumers', body)
        return { document: created, text: renderCreated(created, baseUrl) }
      })
    })

  consumers
    .command('list')
    .description('lists all consumers, including disabled ones')
    .action(() =>
      run(async ({ send }) => {
        const listed: ConsumerResponse[] = []
        let cursor: string | undefined
        do {
          const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) })
          const page = await send<ConsumersResponse>('GET', `/consumers?${query}`)
          listed.push(...page.consumers)
          cursor = page.nextCursor
        } while (cursor !== undefined)
        return { document: { consumers: listed }, text: renderConsumers(listed) }
      }),
    )

  consumers
    .command('show <userName>')
    .description('shows a consumer with its contracts')
    .action((userName: string) =>
      run(async (session) => {
        const { consumerId } = await findConsumer(session, userName)
        const shown = await session.send<ConsumerDetailsResponse>('GET', `/consumers/${consumerId}`)
        const contracts =
          shown.contracts.length > 0 ? renderContracts(shown.contracts) : 'No contract.'
        return { document: shown, text: `${renderConsumer(shown)}\n\n${contracts}` }
      }),
    )

  consumers
    .command('usage <userName>')
    .description('shows the limits of its plan, and the approximate usage today')
    .action((userName: string) =>
      run(async (session) => {
        const { consumerId } = await findConsumer(session, userName)
        const path = `/consumers/${consumerId}/usage`
        const usage = await session.send<ConsumerUsageResponse>('GET', path)
        return { document: usage, text: renderConsumerUsage(usage) }
      }),
    )

  for (const action of ['disable', 'enable'] as const) {
    consumers
      .command(`${action} <userName>`)
      .description(
        action === 'disable'
          ? 'refuses all further requests of a consumer; its print jobs continue'
          : forRoles(
              'enableConsumer',
              'accepts requests of a consumer again, with its previous credentials',
            ),
      )
      .action((userName: string) =>
        run(async (session) => {
          const { consumerId } = await findConsumer(session, userName)
          const path = `/consumers/${consumerId}/${action}`
          const consumer = await session.send<ConsumerResponse>('POST', path)
          return { document: consumer, text: `Consumer ${userName} is ${action}d.` }
        }),
      )
  }

  addYesOption(
    consumers
      .command('rotate-key <userName>')
      .description(
        forRoles(
          'rotateApiKey',
          'replaces the API key; the old one and all tokens stop working immediately',
        ),
      ),
  ).action((userName: string, { yes }: { yes?: true }) =>
    run(async (session) => {
      const { consumerId } = await findConsumer(session, userName)
      const refusal = await refuseUnlessAgreed(replacing('API key', userName, yes), context)
      if (refusal) return refusal
      const path = `/consumers/${consumerId}/rotate-key`
      const rotated = await session.send<RotatedApiKeyResponse>('POST', path, {
        password: session.password,
      })
      const fields = { 'API key': rotated.apiKey, until: rotated.apiKeyExpiry }
      const { apiKey } = rotated
      const saved = await saveSecret(session, userName, { apiKey }, context)
      const text = `Consumer ${userName} has a new API key.\n\n${renderFields(fields)}\n\n${saved ? `${saved}\n` : ''}${shownOnce}`
      return { document: rotated, text }
    }),
  )

  addYesOption(
    consumers
      .command('reset-password <userName>')
      .description(
        forRoles(
          'resetPassword',
          'replaces the password; the old one and all tokens stop working immediately',
        ),
      ),
  ).action((userName: string, { yes }: { yes?: true }) =>
    run(async (session) => {
      const { consumerId } = await findConsumer(session, userName)
      const refusal = await refuseUnlessAgreed(replacing('password', userName, yes), context)
      if (refusal) return refusal
      const path = `/consumers/${consumerId}/reset-password`
      const reset = await session.send<ResetPasswordResponse>('POST', path, {
        password: session.password,
      })
      const fields = { password: reset.password, until: reset.passwordExpiry }
      const { password } = reset
      const saved = await saveSecret(session, userName, { password }, context)
      const text = `Consumer ${userName} has a new password.\n\n${renderFields(fields)}\n\n${saved ? `${saved}\n` : ''}${shownOnce}`
      return { document: reset, text }
    }),
  )

  addYesOption(
    consumers
      .command('end-tokens <userName>')
      .description('ends all tokens and console sessions; password and API key keep working'),
  ).action((userName: string, { yes }: { yes?: true }) =>
    run(async (session) => {
      const { consumerId } = await findConsumer(session, userName)
      const refusal = await refuseUnlessAgreed(
        {
          yes,
          describe: () => ({
            document: { userName },
            text: `This ends all tokens and console sessions of 1 consumer, ${userName}. A client that signs in again only when its token expires fails for up to an hour. This cannot be undone.`,
          }),
          question: 'End them?',
          otherwise: 'nothing was ended',
        },
        context,
      )
      if (refusal) return refusal
      const path = `/consumers/${consumerId}/end-tokens`
      const consumer = await session.send<ConsumerResponse>('POST', path)
      return { document: consumer, text: `The tokens of consumer ${userName} are ended.` }
    }),
  )
}

function replacing(credential: string, userName: string, yes?: true): Agreement {
  const text = `This replaces the ${credential} of 1 consumer, ${userName}. The old one and all its tokens stop working immediately. This cannot be undone.`
  return {
    yes,
    describe: () => ({ document: { userName, credential }, text }),
    question: 'Replace it?',
    otherwise: 'nothing was replaced',
  }
}

function bodyOf(
  userName: string,
  name: string,
  { email, role, provider, service, plan }: CreateOptions,
): Partial<Record<keyof CreateConsumerRequest, unknown>> {
  return {
    userName,
    name,
    ...(email !== undefined && { email }),
    ...(role && { roles: role }),
    ...(provider !== undefined && { providerId: provider }),
    ...(service && { services: service }),
    ...(plan !== undefined && { usagePlan: plan }),
  }
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

function renderConsumers(consumers: readonly ConsumerResponse[]): string {
  const header = [
    'user name',
    'name',
    'roles',
    'services',
    'plan',
    'key until',
    'password until',
    'state',
  ]
  const rows = consumers.map((consumer) => [
    consumer.userName,
    consumer.name,
    consumer.roles.join(' '),
    consumer.services.join(' ') || '-',
    consumer.usagePlan,
    consumer.apiKeyExpiry,
    consumer.passwordExpiry,
    consumer.disabledAt ? 'disabled' : 'enabled',
  ])
  return renderTable(header, rows)
}
