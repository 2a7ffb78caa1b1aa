import { markdownTable } from '@despatch/cli/markdown'
import { type OperationWithRoles, operationRoles } from '@despatch/domain/access/operation-roles'

type Operation = { operationId: string; summary: string }

/** Returns docs/roles.md: every operation of administration and who may use it. `openApi` is its OpenAPI document. */
export function describeRoles(openApi: string): string {
  const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(openApi)
  const operations = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter(({ operationId }) => Object.hasOwn(operationRoles, operationId))
  const rows = operations.map(({ operationId, summary }) => {
    const roles: readonly string[] = operationRoles[operationId as OperationWithRoles]
    const [role = 'no'] = roles.filter((each) => each !== 'admin')
    const operator = role === 'operator' ? 'yes' : role
    return [`\`${operationId}\``, summary, operator, roles.includes('admin') ? 'yes' : 'no']
  })
  return `# Who may do what

<!-- Written by \`npm run docs\`. Change packages/domain/src/access/operation-roles.ts. -->

Operators look at everything, do the daily work with print jobs and print runs, and disable consumers. Admins also
change consumers, contracts, usage plans, print providers (and whether they use file-drop), sites, stock, records and
keys, and pause, resume and drain queues. Where the signed-in user lacks the role, the console names it. The [command
line](command-line.md) names it in the description of a command.

Some operations depend on more than the role:

- **Address**: an operator with the additional role \`address-editor\` may correct an address. Alone, that role permits
  nothing.
- **Reprints**: a reprint above the quota of its site is authorised or refused by another person than the requester,
  who is [independent](bulk-actions.md#two-people) of the requester.
- **Bulk actions**: above \`DESPATCH_BULK_SECOND_PERSON_ABOVE\` print jobs, another operator than the planner must
  confirm, who is [independent](bulk-actions.md#two-people) of the planner.
- **Credentials**: replacing an API key or a password requires the own password again, or another sign-in by the OpenID
  provider.
- **Disabling**: only an admin may disable an operator or an admin.
- **Own access**: operators and admins cannot disable themselves, and admins cannot give up the admin role.

Only operators and admins may sign in to the console. The roles \`consumer\` and \`provider\` permit none of these
operations.

${markdownTable(['operation', 'what it does', 'operator', 'admin'], rows)}
`
}
