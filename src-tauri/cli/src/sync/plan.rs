//! `roost plan`: shows what would be sent, in which order and at which price. Sends nothing.

use clap::{Args, builder::BoolishValueParser};
use roost_sync_session::PlanDetails;

use super::{ExitResult, account::AccountArgs, exit::WORK_LEFT, print_json, print_text, request, text};
use crate::failure::CliFailure;

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub(crate) struct PlanCommand {
    #[command(flatten)]
    account: AccountArgs,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
    /// Show the request of one step of the newest plan instead.
    #[arg(long, env = "ROOST_PLAN_BODY", value_name = "STEP")]
    body: Option<u32>,
    /// With all digits of its numbers.
    #[arg(long, env = "ROOST_PLAN_UNMASKED", value_parser = BoolishValueParser::new(), requires = "body")]
    unmasked: bool,
}

impl PlanCommand {
    pub(crate) fn run(self) -> ExitResult {
        let open = self.account.open()?;
        if let Some(step) = self.body {
            let plan = match open.session.read_plan(None)? {
                Some(plan) if plan.is_stale => {
                    return Err(CliFailure::new(
                        "Something changed after the newest plan. Make a new one with roost plan.",
                    ));
                }
                Some(plan) => plan,
                None => open.session.make_plan()?,
            };
            let step_body = open.session.step_body(plan.id, step, !self.unmasked)?;
            if self.json {
                print_json(&step_body)?;
            } else {
                print_text(&request::describe_request(&step_body))?;
            }
            return Ok(0);
        }
        let plan = open.session.make_plan()?;
        if self.json {
            print_json(&plan)?;
        } else {
            print_text(&text::describe_plan(&plan))?;
        }
        let answered = open.session.status()?.answered;
        if !self.json && plan.steps.is_empty() {
            print_text(&text::describe_answered(answered))?;
        }
        Ok(if has_work(&plan, answered) { WORK_LEFT } else { 0 })
    }
}

/// Whether there is something to send, a decision for a person, or an answer that waits for the next pull.
fn has_work(plan: &PlanDetails, answered: u64) -> bool {
    !plan.steps.is_empty() || needs_decision(plan) || plan.refused_count > 0 || answered > 0
}

/// Whether something waits for a person.
pub(super) fn needs_decision(plan: &PlanDetails) -> bool {
    plan.conflicts > 0 || plan.blocked.iter().any(|blocked| blocked.chosen.is_none())
}
