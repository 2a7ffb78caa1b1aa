import { wrongUsage } from '../failure.ts'
import type { Add } from '../operation-command.ts'
import { option } from './option.ts'

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
