/** All tools, in the order hosts show them. Data: hosts, docs, tests and token counts read this one list. */
import { consoleMessages } from './console.ts'
import { cookies } from './cookies.ts'
import { dialog } from './dialog.ts'
import { evaluate } from './evaluate.ts'
import { extract } from './extract.ts'
import { forms } from './forms.ts'
import { keyboard } from './keyboard.ts'
import { launch } from './launch.ts'
import { navigation } from './navigation.ts'
import { network } from './network.ts'
import { pointer } from './pointer.ts'
import { screenshot } from './screenshot.ts'
import { scroll } from './scroll.ts'
import { snapshot } from './snapshot.ts'
import { storage } from './storage.ts'
import { tabs } from './tabs.ts'
import type { Tool } from './tool.ts'
import { upload } from './upload.ts'
import { wait } from './wait.ts'

const ORDER = [
  'browser_pages',
  'browser_navigate',
  'browser_navigate_back',
  'browser_navigate_forward',
  'browser_reload',
  'browser_new_page',
  'browser_close_page',
  'browser_select_page',
  'browser_snapshot',
  'browser_extract',
  'browser_screenshot',
  'browser_console_messages',
  'browser_network_requests',
  'browser_click',
  'browser_type',
  'browser_fill',
  'browser_select_option',
  'browser_hover',
  'browser_scroll',
  'browser_press_key',
  'browser_drag',
  'browser_launch',
  'browser_wait_for',
  'browser_evaluate',
  'browser_handle_dialog',
  'browser_file_upload',
  'browser_cookies',
  'browser_delete_cookies',
  'browser_storage',
]

const families = [
  tabs,
  navigation,
  snapshot,
  extract,
  screenshot,
  consoleMessages,
  network,
  pointer,
  scroll,
  keyboard,
  forms,
  launch,
  wait,
  evaluate,
  dialog,
  upload,
  cookies,
  storage,
]

export const tools: readonly Tool[] = families
  .flatMap((family) => family as unknown as readonly Tool[])
  .toSorted((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name))
