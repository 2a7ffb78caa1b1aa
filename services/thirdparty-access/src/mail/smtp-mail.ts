import { createTransport } from 'nodemailer'
import type { Mailbox } from './mail.ts'

const connectTimeoutMs = 10_000
const answerTimeoutMs = 20_000

/** Opens a mailbox that sends mails through an SMTP server, encrypted if the server offers it. */
export function openSmtpMail({ url, from }: { url: string; from: string }): Mailbox {
  const transport = createTransport(
    {
      url,
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: connectTimeoutMs,
      socketTimeout: answerTimeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  )
  return {
    send: async (mail) => {
      await transport.sendMail(mail)
    },
    close: () => transport.close(),
  }
}
