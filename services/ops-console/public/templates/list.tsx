import type { TemplatesResponse } from '@despatch/contracts/administration/template'
import { ask, withQuery } from '../parts/api.ts'
import { Card, CopyButton, Head, Time } from '../parts/elements.tsx'
import { count, countOf } from '../parts/format.ts'
import { beginReading } from '../parts/reading.tsx'
import { Table } from '../parts/table.tsx'
import { checkedBy, languageName } from './words.tsx'

const commands = [
  'npx despatch templates init renewal',
  'npx despatch templates preview renewal --watch',
  'npx despatch templates publish renewal',
]

const reading = beginReading({
  read: async () => (await ask<TemplatesResponse>('GET', '/templates')).templates,
  standing: (templates) => `${countOf(templates.length, 'template')}.`,
  mayChange: () => false,
})

/** The newest version of each template. */
export function TemplatesPage() {
  const templates = reading.facts()
  return (
    <>
      <Head
        title="Templates"
        beside={
          <span class="meta">
            A published version never changes. A contract names it, and a letter keeps it.
          </span>
        }
      />
      <div class="stack">
        {templates ? listOf(templates) : reading.absent('Templates')}
        <Card title="Make one" meta="A folder on your machine" isPadded>
          <div class="stack">
            {commands.map((command) => (
              <p>
                <code>{command}</code> <CopyButton value={command} name="command" />
              </p>
            ))}
          </div>
        </Card>
      </div>
    </>
  )
}

function listOf(templates: TemplatesResponse['templates']) {
  return (
    <section class="card" aria-label="Templates">
      <Table
        caption="Templates"
        columns={[
          'Template',
          'Version',
          { name: 'Languages', class: 'p2' },
          { name: 'Published', class: 'p2' },
          { name: 'By', class: 'p3' },
          { name: 'Contracts', class: 'num' },
          { name: 'Checked by', class: 'p2' },
        ]}
        rows={templates.map((template) => [
          [
            <a href={withQuery('/templates', { template: template.name })}>{template.name}</a>,
            <span class="sub prose">{template.title}</span>,
          ],
          template.version,
          template.languages.map(languageName).join(', '),
          <Time at={template.publishedAt} />,
          template.publishedByUserName ?? template.publishedBy,
          count(template.contractCount),
          checkedBy(template),
        ])}
        empty="No template is published yet."
      />
    </section>
  )
}
