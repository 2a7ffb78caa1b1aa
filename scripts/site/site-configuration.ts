import { join } from 'node:path'
import { languageTabs } from './language-tabs.ts'
import { navigation, root } from './navigation.ts'
import { builtPath, sourcePrefix, titleOf } from './stage-pages.ts'
import { wholeOptions } from './whole-options.ts'

/** Lists of many pages are closed until a reader opens them. */
const pagesShownMax = 12

/**
 * Returns the configuration of the generator. A dead link, a dead anchor or a missing picture fails the build. It has no
 * type of the generator, because that would bring other types of the browser into the whole tree.
 */
export async function siteConfiguration(
  pages: string,
  out: string,
  { isMinified }: { isMinified: boolean },
) {
  return {
    root: pages,
    outDir: out,
    lang: 'en',
    title: 'Despatch',
    description: 'Print jobs over HTTP in, letters printed and posted out',
    icon: '/icon.svg',
    logo: '/icon.svg',
    logoText: 'Despatch',
    globalStyles: join(root, 'scripts/site/site.css'),
    search: { codeBlocks: true },
    builderConfig: {
      performance: { printFileSize: false },
      output: { minify: isMinified, dataUriLimit: 0 },
    },
    markdown: {
      link: {
        checkDeadLinks: { excludes: (url: string) => url.startsWith(sourcePrefix) },
        checkAnchors: true,
      },
      remarkPlugins: [languageTabs],
      rehypePlugins: [wholeOptions],
      globalComponents: [join(root, 'scripts/site/LanguageTabs.jsx')],
      shiki: { fallbackLanguage: 'text' },
    },
    themeConfig: {
      nav: navigation.map(({ heading, groups }) => ({
        text: heading,
        link: urlOf(groups[0]!.pages[0]!),
        activeMatch: `^(?:${groups.flatMap(({ pages }) => pages.map(urlOf)).join('|')})(?:index|\\.html)*$`,
      })),
      sidebar: { '/': await sidebar() },
    },
  }
}

async function sidebar() {
  const sections = navigation.map(async ({ heading, groups }) => [
    { sectionHeaderText: heading },
    ...(await Promise.all(groups.map(groupOf))),
  ])
  return (await Promise.all(sections)).flat()
}

async function groupOf({ heading, pages }: { heading: string; pages: readonly string[] }) {
  const items = pages.map(async (page) => ({ text: await titleOf(page), link: urlOf(page) }))
  return {
    text: heading,
    collapsible: true,
    collapsed: pages.length > pagesShownMax,
    items: await Promise.all(items),
  }
}

function urlOf(page: string): string {
  return `/${builtPath(page)
    .replace(/(^|\/)index\.html$/, '$1')
    .replace(/\.html$/, '')}`
}
