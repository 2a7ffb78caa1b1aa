import { ownQuery } from '../parts/api.ts'
import { start } from '../parts/shell.tsx'
import { TemplatesPage } from '../templates/list.tsx'
import { beginTemplate, TemplatePage } from '../templates/template.tsx'

const { template, version } = ownQuery()

if (template) showTemplate(template)
else start(TemplatesPage)

function showTemplate(name: string): void {
  const readings = beginTemplate(name, version)
  start(() => <TemplatePage name={name} {...readings} />)
}
