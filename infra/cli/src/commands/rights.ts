import type { ConsumerResponse } from '@despatch/contracts/administration/consumer'
import type { Command } from 'commander'
import { wrongUsage } from '../failure.ts'
import { findConsumer } from '../find-consumer.ts'
import type { Run } from '../program.ts'
import { forRoles } from './for-roles.ts'

/** Adds the commands that set what a consumer may do, and how much of it. */
export function addRightsCommands(consumers: Command, run: Run): void {
  const set = (
    userName: string,
    what: string,
    body: object,
    render: (to: ConsumerResponse) => string,
  ) =>
    run(async (session) => {
      const { consumerId } = await findConsumer(session, userName)
      const path = `/consumers/${consumerId}/${what}`
      const consumer = await session.send<ConsumerResponse>('PUT', path, body)
      return { document: consumer, text: `Consumer ${userName} ${render(consumer)}.` }
    })

  consumers
    .command('set-plan <userName> <plan>')
    .description(forRoles('setUsagePlan', 'changes the usage plan of a consumer'))
    .action((userName: string, usagePlan: string) =>
      set(userName, 'usage-plan', { usagePlan }, (to) => `is on the usage plan ${to.usagePlan}`),
    )

  consumers
    .command('limit <userName> [networks...]')
    .description(
      forRoles('setNetworks', 'replaces the networks (CIDR) that a consumer can call from'),
    )
    .option('--none', 'lift the limit, so that it can call from everywhere')
    .action((userName: string, networks: string[], { none = false }: { none?: boolean }) => {
      if (none === networks.length > 0) throw wrongUsage('name either networks or --none')
      return set(
        userName,
        'networks',
        { networks },
        (to) => `may call from ${to.networks.join(', ') || 'everywhere'}`,
      )
    })

  consumers
    .command('set-services <userName> [services...]')
    .description(forRoles('setServices', 'replaces the services that a consumer can use'))
    .option('--none', 'remove all services, so that it can use none')
    .action((userName: string, services: string[], { none = false }: { none?: boolean }) => {
      if (none === services.length > 0) throw wrongUsage('name either services or --none')
      return set(
        userName,
        'services',
        { services },
        (to) => `may use ${to.services.join(', ') || 'no service'}`,
      )
    })

  consumers
    .command('set-roles <userName> <roles...>')
    .description(
      forRoles(
        'setRoles',
        'replaces its roles: consumer, provider, operator, address-editor (with operator), admin',
      ),
    )
    .option('--provider <id>', 'print provider, for the provider role')
    .action((userName: string, roles: string[], { provider }: { provider?: string }) =>
      set(
        userName,
        'roles',
        { roles, ...(provider !== undefined && { providerId: provider }) },
        (to) => `has the roles ${to.roles.join(', ')}`,
      ),
    )
}
