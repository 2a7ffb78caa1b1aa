import type { Command } from 'commander'
import type { Run } from '../program.ts'
import { forRoles } from './for-roles.ts'

export function addKeyCommands(program: Command, run: Run): void {
  program
    .command('keys')
    .description('the keys that sign JWTs')
    .command('rotate')
    .description(
      forRoles(
        'rotateSigningKey',
        'signs new JWTs with a new key; existing ones stay valid until they expire',
      ),
    )
    .action(() =>
      run(async ({ send }) => {
        const rotated = await send<{ kid: string }>('POST', '/signing-keys/rotate')
        return {
          document: rotated,
          text: `JWTs are signed with the key ${rotated.kid} from now on.`,
        }
      }),
    )
}
