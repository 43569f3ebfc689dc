use super::*;
use crate::system::feedthrough::{FeedThrough, Reader};
use proptest::prelude::*;

fn none(n: usize) -> FeedThrough {
    FeedThrough::none(n)
}

/// Groups among `n` units each of which follows all of them.
fn all(groups: &[Vec<usize>], n: usize) -> FeedThrough {
    let readers: Vec<Reader> = groups.iter().flatten().map(|&unit| Reader { unit, follows: true }).collect();
    FeedThrough { groups: groups.to_vec(), of_published: vec![readers.clone(); n], of_refreshed: vec![readers; n] }
}

fn advance(unit: usize, from: Tick, to: Tick) -> Op {
    Op::Advance { unit, from, to }
}

#[test]
fn the_two_single_rate_schedules() {
    let jacobi = Plan::new(&Schedule::Jacobi, &[1, 1], &all(&[vec![0]], 2));
    let (p0, p1) = (Op::Publish { unit: 0, at: 1 }, Op::Publish { unit: 1, at: 1 });
    let refresh = Op::Refresh { group: 0, at: 1 };
    assert_eq!(jacobi.ops, [advance(0, 0, 1), advance(1, 0, 1), p0, p1, refresh]);
    let gs21 = Plan::new(&Schedule::GaussSeidel(vec![1, 0]), &[1, 1], &none(2));
    assert_eq!(gs21.ops, [advance(1, 0, 1), p1, advance(0, 0, 1), p0]);
}

#[test]
fn parallel_units_begin_before_anybody_waits() {
    let begin = |unit| Op::Begin { unit, from: 0, to: 1 };
    let jacobi = Plan::new(&Schedule::Jacobi, &[1, 1, 1], &none(3)).beside(|unit| unit != 1);
    assert_eq!(jacobi.ops[..5], [begin(0), begin(2), advance(0, 0, 1), advance(1, 0, 1), advance(2, 0, 1)]);
    let gs = Plan::new(&Schedule::GaussSeidel(vec![0, 1]), &[1, 1], &none(2)).beside(|_| true);
    let (p0, p1) = (Op::Publish { unit: 0, at: 1 }, Op::Publish { unit: 1, at: 1 });
    assert_eq!(gs.ops, [advance(0, 0, 1), p0, advance(1, 0, 1), p1]);
}

#[test]
fn a_staggered_plan_merges_the_halves_of_neighbouring_windows() {
    let steps = |plan: &Plan, now: Tick| -> Vec<(usize, Tick, Tick)> {
        let advance = |o: &Op| if let Op::Advance { unit, from, to } = *o { Some((unit, from, to)) } else { None };
        plan.ops_at(now).iter().filter_map(advance).collect()
    };
    let plan = Plan::staggered(&[0, 1], &[2, 2], &none(2), Some(6));
    assert_eq!(steps(&plan, 0), [(0, 0, 1), (1, 0, 2), (0, 1, 3)]);
    assert_eq!(steps(&plan, 2), [(1, 0, 2), (0, 1, 3)]);
    assert_eq!(steps(&plan, 4), [(1, 0, 2), (0, 1, 3)]);
    assert_eq!(steps(&plan, 6), [(1, 0, 2), (0, 1, 2)]);
    assert_eq!(steps(&plan, 8), [(0, 0, 1), (1, 0, 2), (0, 1, 2)]);
    assert_eq!(plan.ops_at(8), Plan::new(&Schedule::Palindromic(vec![0, 1]), &[2, 2], &none(2)).ops);
    let two = Plan::staggered(&[1, 0], &[2, 2], &none(2), Some(2));
    assert_eq!(steps(&two, 2), [(0, 0, 2), (1, 1, 2)]);
    let three = Plan::new(&Schedule::Palindromic(vec![0, 1, 2]), &[2, 2, 2], &none(3));
    assert_eq!(steps(&three, 0), [(0, 0, 1), (1, 0, 1), (2, 0, 2), (1, 1, 2), (0, 1, 2)]);
}

#[test]
fn a_stretched_plan_is_the_plan_of_longer_steps() {
    let order = Schedule::GaussSeidel(vec![1, 0]);
    let plan = Plan::new(&order, &[3, 2], &all(&[vec![0]], 2));
    let stretched: Vec<Op> = plan.ops.iter().map(|op| op.stretched(7)).collect();
    let longer = Plan::new(&order, &[21, 14], &all(&[vec![0]], 2));
    assert_eq!((7 * plan.window, stretched), (longer.window, longer.ops));
}

#[test]
fn fast_first_and_slow_first() {
    let order = |s: &[usize]| -> Vec<usize> {
        let plan = Plan::new(&Schedule::GaussSeidel(s.to_vec()), &[3, 1], &none(2));
        plan.ops.iter().filter_map(|o| if let Op::Advance { unit, .. } = o { Some(*unit) } else { None }).collect()
    };
    assert_eq!(order(&[0, 1]), [0, 1, 1, 1]);
    assert_eq!(order(&[1, 0]), [1, 1, 1, 0]);
}

/// What a unit has reported is refreshed in the window in which it has stepped: a snapshot between windows need not hold it.
#[track_caller]
fn refreshes_follow_steps(plan: &Plan, groups: &[Vec<usize>], n: usize) {
    let mut reached = vec![0; n];
    for op in &plan.ops {
        match *op {
            Op::Advance { unit, to, .. } => reached[unit] = to,
            Op::Refresh { group, at } => assert!(groups[group].iter().all(|&u| reached[u] == at), "{plan:?}"),
            Op::RefreshUnit { unit, at } => assert_eq!(reached[unit], at, "{plan:?}"),
            Op::Begin { .. } | Op::Publish { .. } => {}
        }
    }
}

proptest! {
    #[test]
    fn every_refresh_follows_a_step_of_its_units(
        steps in prop::collection::vec(1i64..7, 2..5), gs: bool, seed in 0usize..24, cut in 1usize..4
    ) {
        let n = steps.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.rotate_left(seed % n);
        let groups: Vec<Vec<usize>> = order.chunks(cut).map(<[usize]>::to_vec).collect();
        let schedule = if gs { Schedule::GaussSeidel(order) } else { Schedule::Jacobi };
        refreshes_follow_steps(&Plan::new(&schedule, &steps, &all(&groups, n)), &groups, n);
    }

    #[test]
    fn every_plan_tiles_the_window(steps in prop::collection::vec(1i64..7, 1..5), gs: bool, seed in 0usize..24) {
        // Each unit's steps follow each other without a gap, and each is published before the next begins.
        let mut order: Vec<usize> = (0..steps.len()).collect();
        order.rotate_left(seed % steps.len());
        let schedule = if gs { Schedule::GaussSeidel(order) } else { Schedule::Jacobi };
        let plan = Plan::new(&schedule, &steps, &none(steps.len()));
        for (u, step) in steps.iter().enumerate() {
            prop_assert_eq!(plan.window % step, 0);
            let (mut reached, mut published) = (0, 0);
            for op in &plan.ops {
                match *op {
                    Op::Advance { unit, from, to } if unit == u => {
                        prop_assert_eq!((from, to), (reached, reached + step));
                        prop_assert_eq!(published, reached);
                        reached = to;
                    }
                    Op::Publish { unit, at } if unit == u => {
                        prop_assert_eq!(at, reached);
                        published = at;
                    }
                    _ => {}
                }
            }
            prop_assert_eq!((reached, published), (plan.window, plan.window));
        }
    }
}
