import type { Option } from '../options/option-table.js';
import type { Management } from './create-management.js';

/** Checks the option `management` of `createManagementApi` and of `createDashboard`. */
export const managementOption: Option<Management> = (options, name) => {
  const management = options.object<Management>(name, ['audit', 'usage']);
  if (management.keys !== undefined && management.accessKeys !== undefined) return management;
  throw options.mistake(name, 'the result of createManagement()');
};
