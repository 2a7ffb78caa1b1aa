export type TemplateDataDocument = {
  documentId: string
  sequence: number
  jobType: string
  templateReference: string
  customParams: readonly { key: string; value: string }[]
}

/** Renders template data as NDJSON, one line per document. */
export async function* renderTemplateData(
  pages: AsyncIterable<readonly TemplateDataDocument[]>,
): AsyncGenerator<string> {
  for await (const page of pages) {
    yield page.map((document) => `${JSON.stringify(renderDocument(document))}\n`).join('')
  }
}

function renderDocument(document: TemplateDataDocument): TemplateDataDocument {
  const { documentId, sequence, jobType, templateReference } = document
  const customParams = document.customParams.map(({ key, value }) => ({ key, value }))
  return { documentId, sequence, jobType, templateReference, customParams }
}
