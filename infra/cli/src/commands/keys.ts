import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { addDeriveKeysCommand } from './derive-keys.ts'

export function addCommands(parts: Parts): void {
  const keys = parts.program
    .command('keys')
    .description('the keys that sign JWTs, and those of the services')
  addDeriveKeysCommand(keys, parts)
  const add = addingTo(keys, parts)

  add({
    usage: 'rotate',
    operation: 'rotateSigningKey',
    route: 'POST /signing-keys/rotate',
    does: 'signs new JWTs with a new key; existing ones stay valid until they expire',
    text: ({ kid }) => `JWTs are signed with the key ${kid} from now on.`,
  })
}
