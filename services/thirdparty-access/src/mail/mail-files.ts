import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Mailbox } from './mail.ts'

/**
 * Writes mails to a directory in place of sending them, for a machine without a mail server. Each mail is one .eml
 * file, written whole or not at all. File names sort in the order of the mails. Only the owner can read them.
 */
export function openMailFiles({ directory, from }: { directory: string; from: string }): Mailbox {
  const transport = createTransport(
    { streamTransport: true, buffer: true, disableFileAccess: true, disableUrlAccess: true },
    { from },
  )
  return {
    send: async (mail) => {
      const { message } = await transport.sendMail(mail)
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const name = `${new Date().toISOString().replaceAll(':', '')}-${randomUUID()}.eml`
      const path = join(directory, name)
      await writeFile(`${path}.new`, message, { mode: 0o600 })
      await rename(`${path}.new`, path)
    },
    close: () => transport.close(),
  }
}
