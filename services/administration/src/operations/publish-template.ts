import { publishTemplate as operation } from '@despatch/contracts/administration/template-operations'
import { invalidFields } from '@despatch/domain/problem'
import { renderTemplateVersion } from '@despatch/domain/template/template-version'
import type { Api } from '@despatch/http/api'
import { type WorkLimits, withinLimit } from '@despatch/letters/within-limit'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db } from '@despatch/store/database'
import { listVersionPage, publishTemplateVersion } from '@despatch/store/template/versions'
import { checkTemplate } from '@despatch/templates/check-template'
import { readTemplate, type Template } from '@despatch/templates/read-template'
import { renderFault } from '@despatch/templates/template-fault'
import { templateId } from '@despatch/templates/template-id'
import type { LetterMakers } from '@despatch/templates/try-letter'
import { actorOf } from '../operator/access.ts'
import { describeUsedVersions } from '../template/describe-versions.ts'

type Effects = { db: Db; letterMakers: Omit<LetterMakers, 'use'>; publishingLimits: WorkLimits }

/** More would not be read. */
const faultsMax = 20

/** POST /templates/{name}/versions: checks a template and publishes it as its next version. */
export function publishTemplate(api: Api, { db, letterMakers, publishingLimits }: Effects): void {
  api.route({
    ...operation,
    handler: async ({ params: { name }, body, caller }, reply) => {
      const template = read(body.files)
      const id = templateId(template.files)
      const [newest] = await listVersionPage(db, name, 1)
      if (newest?.templateId === id) {
        const [described] = await describeUsedVersions(db, [newest])
        return described!
      }
      const { consumerId } = caller
      await withinLimit(publishingLimits, { consumerId, reply }, 'template', async (signal) => {
        const checked = await checkTemplate(
          { ...letterMakers, use: { consumerId, signal } },
          template,
        )
        refuse(
          checked.flatMap(({ values, languages, refusals }) =>
            refusals.map((refusal) => `${values} (${languages}): ${refusal}`),
          ),
        )
      })
      const { published, isNew } = await publish(db, { name, id, template, actor: actorOf(caller) })
      const [described] = await describeUsedVersions(db, [published])
      return reply.code(isNew ? 201 : 200).send(described!)
    },
  })
}

/** Reads the files of a request. Throws a Problem that names those with mistakes. */
function read(files: readonly { path: string; content: string }[]): Template {
  const paths = files.map(({ path }) => path)
  const twice = paths.filter((path, index) => paths.indexOf(path) !== index)
  refuse(twice.map((path) => `${path} is given twice`))
  const decoded = files.map(({ path, content }) => ({
    path,
    bytes: Buffer.from(content, 'base64'),
  }))
  const result = readTemplate(decoded)
  if ('template' in result) return result.template
  refuse(result.faults.map(renderFault))
  throw new Error('A template without faults was not read')
}

/** Throws a Problem with the details, if there are any. */
function refuse(details: readonly string[]): void {
  if (details.length === 0) return
  throw invalidFields(
    details.slice(0, faultsMax).map((detail) => ({ field: 'files', code: 'Invalid', detail })),
  )
}

function publish(
  db: Db,
  { name, id, template, actor }: { name: string; id: string; template: Template; actor: string },
) {
  const { files, fields, languages } = template
  return transact(db, async (tx) => {
    const outcome = await publishTemplateVersion(tx, {
      template: name,
      templateId: id,
      title: fields.title,
      languages: [...languages],
      publishedBy: actor,
      files,
    })
    if (outcome.isNew) {
      const detail = { template: renderTemplateVersion(outcome.published), templateId: id }
      await insertAuditEvent(tx, { actor, action: 'template.published', detail })
    }
    return outcome
  })
}
