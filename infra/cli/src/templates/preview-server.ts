import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What is shown: the pages as PNG, the PDF for screens, and what is wrong. */
export type Preview = {
  pages: readonly Uint8Array[]
  accessiblePdf?: Uint8Array
  remarks: readonly string[]
}

/**
 * Shows a preview on this machine only. The page in the browser follows each `show`. Rejects if nothing can listen on the
 * port.
 */
export async function servePreview(port: number): Promise<{
  address: string
  show(preview: Preview): void
  close(): void
}> {
  let current: Preview = { pages: [], remarks: ['The letter is being typeset.'] }
  const followers = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const { host = '', 'sec-fetch-site': site } = request.headers
    // a page of another site must not read the letter by a name that leads here
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host) || site === 'cross-site') {
      response.writeHead(403).end()
      return
    }
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const page = /^\/pages\/(\d{1,4})\.png$/.exec(pathname)?.[1]
    if (pathname === '/') send(response, 'text/html; charset=utf-8', renderPage(current))
    else if (pathname === '/changes') follow(response)
    else if (pathname === '/letter.pdf') send(response, 'application/pdf', current.accessiblePdf)
    else if (page) send(response, 'image/png', current.pages[Number(page) - 1])
    else response.writeHead(404).end()
  })

  function follow(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(': open\n\n')
    followers.add(response)
    response.once('close', () => followers.delete(response))
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    show: (preview) => {
      current = preview
      for (const follower of followers) follower.write('data: changed\n\n')
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function send(response: ServerResponse, type: string, body: Uint8Array | string | undefined): void {
  if (body === undefined) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}

function renderPage({ pages, remarks, accessiblePdf }: Preview): string {
  const items = remarks.map((remark) => `<li>${escaped(remark)}</li>`).join('')
  const pictures = pages
    .map((_, index) => `<img src="/pages/${index + 1}.png" alt="Page ${index + 1}">`)
    .join('')
  const link = accessiblePdf
    ? '<p><a href="/letter.pdf">The letter as an accessible PDF</a></p>'
    : ''
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Preview</title>
<style>
body { margin: 0; padding: 1rem; background: #e8e8e8; color: #1a1a1a; font: 1rem/1.5 system-ui, sans-serif }
img { display: block; width: min(100%, 52rem); margin: 1rem auto; background: #fff; box-shadow: 0 1px 6px #0004 }
ul, p { max-width: 52rem; margin: 0 auto 1rem }
</style>
${items ? `<ul>${items}</ul>` : ''}${link}${pictures}
<script>new EventSource('/changes').onmessage = () => location.reload()</script></html>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
