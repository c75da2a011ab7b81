import { describe, expect, test } from 'bun:test'
import { linesOutsideCode } from '../../src/lib/wiki-links.ts'
import { bodyTags } from '../../src/transfer/vault/plan/tags.ts'

const tagsIn = (body: string) => [...bodyTags([...linesOutsideCode(body)])].map((tag) => tag.slice(1))

describe('a word with a hash is a tag', () => {
  const TAGS: [where: string, body: string, tags: string[]][] = [
    ['at the beginning of a line and after a blank', '#one and\t#two\n#three', ['one', 'two', 'three']],
    [
      'in a heading, a list, a task, a quotation, a table',
      '# Head #a\n- #b\n- [ ] #c\n> #d\n\n| #e | x |',
      [...'abcde'],
    ],
    ['right after another tag', '#a#b #1#c', ['a', 'b']],
    ['in emphasis', '*so #a* and _so #b_ and __#c #d__', ['a', 'b', 'd']],
    ['with a sign behind it', '#a, #b. #c: #d! (#e) #f)', [...'abcdf']],
    ['with digits and signs', '#y1984 #2026-11 #a_b #a/b #x_', ['y1984', '2026-11', 'a_b', 'a/b', 'x_']],
    ['between inline elements', 'a <b>bold</b> #a <i class="x">#b #c</i>', ['a', 'c']],
    ['after a block of HTML', '<div>\n#no\n</div>\n\n#a\n<!-- #no\n\n#no --> #no\n#b', ['a', 'b']],
    ['in a list item that is indented', '- a\n\n    #a\n\n    - b\n\n        #b', ['a', 'b']],
    ['in a paragraph that goes on, however indented', 'a\n      #a', ['a']],
    ['with few hexadecimal digits', '#b2b #cafe #facade #add', ['b2b', 'cafe', 'facade', 'add']],
    ['beside prices', 'costs $5 #a or $6', ['a']],
    ['below the definition of a link', '[x]:\n  #anchor\n#a', ['a']],
  ]
  test.each(TAGS)('%s', (_, body, tags) => expect(tagsIn(body)).toEqual(tags))
})

describe('a word with a hash is no tag', () => {
  const NONE: [where: string, body: string][] = [
    ['in the definition of a link', '[x]: #anchor\n[y]: #other "title"\n> [z]: #third\n[w]:\n  #fourth'],
    ['in a number', '#1 #1984 _Issue #1060_ (see _PR #7_) __#8__ #12/3'],
    ['in a colour', '#ff0000 #FFF #eeeeee #12ab34cd color: #abc; background-color: #fade "fill": #bad'],
    ['in an element that is a block', '<div>\n  #a\n</div>'],
    ['in a style sheet', '<style>\n#id { color: #fff }\n\n #other { }\n</style>'],
    ['in a script', '<script>\n\nlet x = #a\n\n #b\n</script>'],
    ['in a preformatted block', '<pre>\n#a\n\n#b\n</pre>'],
    ['in a comment', 'x <!-- #a\n#b --> %% #c %%\n\n<!--\n#d\n\n#e\n-->'],
    ['in an attribute', 'see <a href="#a" title="x #b"\n  data-x=" #c">it</a> <x y=" > #d ">'],
    ['in a block of one element alone', '<custom-element a="b">\n#a\n</custom-element>'],
    [
      'in the target, the title or the text of a link',
      '[a #b](c) [a](<c #d>) [a](b "c #d") [a #b][c] [[a #b]]',
    ],
    ['in fenced, inline or indented code', '```\n#a\n```\n`x #b`\n\n    #c\n\n\t#d\n\n- x\n\n      #e'],
    ['in code below a list', '- x\n\ntext\n\n    #a'],
    ['in a formula', '$x #a$ and $$\n#b\n$$'],
    ['behind a sign', '\\#a x#b (#c) "#d" {#e} :#f'],
    ['without letters', '# ## #/ #_ #'],
  ]
  test.each(NONE)('%s', (_, body) => expect(tagsIn(body)).toEqual([]))
})
