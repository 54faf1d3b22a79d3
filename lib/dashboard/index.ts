export type { DashboardNotice } from '../events/dashboard-notice.js';
export { createDashboard, type DashboardOptions } from './create-dashboard.js';
export { createSignIn, type SignIn, type SignInLink, type SignInOptions } from './sign-in.js';
export type { MemberOf } from './signed-in.js';
